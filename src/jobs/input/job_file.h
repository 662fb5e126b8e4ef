// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Job files: a JSON object with "jobs", an array of objects with the keys of a SPEC, and optionally
// "background", "failures", and defaults of all jobs. docs/reference/jobs.md describes the keys.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "jobs/job.h"

namespace weft::jobs {

/// Reads jobs. Each argument is a file (of JSON, or GOAL text) or a SPEC. Fails with kBadInput,
/// naming file, line and object, or the argument; or as read_file() if a file cannot be read.
Result<Workload> read_workload(std::span<const std::string> arguments);

/// Parses the content of a JSON job file; `path` is for messages.
Result<Workload> parse_job_file(const std::string& text, const std::string& path);

}  // namespace weft::jobs
