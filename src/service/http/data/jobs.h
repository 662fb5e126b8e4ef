// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of jobs: their links, the jobs that share these links, and the errors on the links; and the
// parser of requests that begin a job.
#pragma once

#include "base/result.h"
#include "service/events/event_ring.h"
#include "service/http/data/json.h"
#include "service/jobs/job_book.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// Parses the body of POST: {"id", "hosts": "node[1-4]" or a list, "name", "user"}. Fails with
/// kBadField; the message contains the unknown, missing or invalid member.
Result<Job> new_job(const Json& body);

/// JSON of a job without its links.
Json job_summary(const Job& job);
Json jobs(const std::vector<JobPtr>& all);

/// Sets the baseline of a job to the counters of its links at the begin of the job; none without a
/// performance manager.
void set_baseline(Job& job, const Snapshot& snapshot, const PortCountsTable& counted);

struct JobSources {
  std::shared_ptr<const Snapshot> snapshot;
  PortCountsTable counted;                 // null without a performance manager
  std::vector<EventRing::Entry> events{};  // recent events
};
Json job(const JobPtr& job, JobBook& book, const JobSources& sources);

}  // namespace weft::http_data
