// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The running and recently ended jobs of the cluster, as the scheduler reports them, and the links
// that the jobs use. The jobs are stored only in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "service/events/event_sinks.h"
#include "service/jobs/job_traffic.h"

namespace weft {

struct Job {
  std::string id;
  std::string name, user;          // may be empty
  std::vector<std::string> hosts;  // without duplicates, in the order of the request
  WallTime begun{};
  std::optional<WallTime> ended{};
  /// Counters at the begin of the job, of the sending ports of its links, by node and port; empty
  /// without a performance manager.
  struct Baseline {
    std::uint64_t sent_bytes = 0, errors = 0;
  };
  std::map<std::pair<Guid, PortNum>, Baseline> baseline{};
};
using JobPtr = std::shared_ptr<const Job>;

/// The list of jobs. Thread-safe.
class JobBook {
 public:
  static constexpr std::size_t kRunningMax = 10'000;
  static constexpr std::size_t kEndedKept = 1'000;

  /// Adds a running job; replaces a running job with the same id. Fails with kRejected if
  /// kRunningMax jobs run.
  Status begin(Job job);
  /// Ends the job with this id and returns it; null if no such job runs.
  JobPtr end(const std::string& id, WallTime at);
  /// The running job with this id, otherwise the last job with this id that ended; null if there is
  /// none.
  JobPtr find(const std::string& id) const;
  /// Running jobs, ordered by id, then ended jobs, newest first.
  std::vector<JobPtr> all() const;
  /// A number that increases with each change.
  std::uint64_t version() const;
  /// All jobs as text, by key. The order of the keys is: ended jobs, oldest first, then running
  /// jobs by id.
  std::map<std::string, std::string> records() const;
  /// Replaces all jobs by the jobs in `records`; omits malformed records and jobs beyond
  /// kRunningMax and kEndedKept.
  void restore(const std::map<std::string, std::string>& records);
  /// The traffic of a job in a snapshot. For running jobs, the result is cached until the snapshot
  /// changes.
  std::shared_ptr<const JobTraffic> traffic(const JobPtr& job,
                                            const std::shared_ptr<const Snapshot>& snapshot);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, JobPtr> running_;
  std::deque<JobPtr> ended_;       // newest first
  std::uint64_t ended_count_ = 0;  // number of all jobs that have ended
  std::uint64_t version_ = 0;
  std::shared_ptr<const Snapshot> snapshot_;
  std::map<const Job*, std::shared_ptr<const JobTraffic>>
      traffic_;  // traffic of the running jobs on snapshot_
};

}  // namespace weft
