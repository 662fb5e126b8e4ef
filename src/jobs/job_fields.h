// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Keys and values of a job, from a SPEC ("allreduce:ring,ranks=64,bytes=1GiB") or from an object of
// a job file, which has the same keys; and those of background traffic and failures, from objects
// of a job file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/job.h"

namespace weft::jobs {

struct Field {
  std::string key;
  std::string value;
  std::string where;  // for messages: "FILE:LINE: jobs[0]", or "--job SPEC"
};

/// Splits a SPEC into fields: the work first, as "work". Commas inside brackets belong to a value.
/// Fails with kBadInput if a further field has no '='.
Result<std::vector<Field>> fields_of_spec(const std::string& spec);

/// Makes a job of its fields; `defaults` has the values of keys that are not given. Fails with
/// kBadInput, naming the object, the key, the value found and the value expected. background_of()
/// and failure_of() do the same for background traffic and failures.
Result<JobSpec> job_of(std::span<const Field> fields, const std::string& where,
                       const JobSpec& defaults);
Result<BackgroundSpec> background_of(std::span<const Field> fields, const std::string& where);
Result<FailureSpec> failure_of(std::span<const Field> fields, const std::string& where);
/// Sets a key that a job file may give once for all jobs: start_up, hop_latency, local_rate.
Status set_default(const Field& field, JobSpec& defaults);

/// The form of a SPEC, and the kinds of work with their algorithms, for the help.
std::string jobs_help();

}  // namespace weft::jobs
