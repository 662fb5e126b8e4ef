// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Jobs of a report: their time on the routes of an engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/report.h"

namespace weft::cli {

/// The times of each job and of its phases, as simulated by weft simulate --job in run 0. Empty
/// without jobs. Fails with kUsage if a job file has failures, which a report does not simulate.
Result<std::vector<TimeSpan>> job_spans(const Fabric& fabric, const Routes& routes,
                                        const std::vector<std::string>& jobs, std::uint64_t seed,
                                        unsigned threads);

}  // namespace weft::cli
