// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares port selection policies of AR-capable switches in one study: static routes, least loaded
// port (greedy), and equal split.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/common.h"
#include "congestion/simulate.h"

namespace weft::cli {

struct PolicyResult {
  std::string name;  // static, greedy, split
  Tally tally;
};

/// Runs `simulate` with each policy.
std::vector<PolicyResult> compare_policies(const Study& study,
                                           const std::function<Tally(const Study&)>& simulate);

/// One row per policy: mean bandwidth with its 99% error, the worst run, and the mean over runs of
/// the maximum congestion summed over levels.
std::string policies_text(const std::vector<PolicyResult>& results);
Json policies_json(const std::vector<PolicyResult>& results);
/// SVG plot of the sorted bandwidths of the runs, one line per policy.
std::string policies_picture(const std::string& title, const std::vector<PolicyResult>& results);

}  // namespace weft::cli
