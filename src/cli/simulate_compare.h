// What choosing is worth: one study with switches that do not choose, that take the least loaded
// port, and that split evenly.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/common.h"
#include "congestion/simulate.h"

namespace weft::cli {

struct ChoosingResult {
  std::string name;  // static, greedy, split
  Tally tally;
};

/// Runs `simulate` for each way of choosing.
std::vector<ChoosingResult> compare_choosing(const Study& study,
                                             const std::function<Tally(const Study&)>& simulate);

/// A row for each: mean bandwidth with its 99% error, the worst run, and the mean over runs of the
/// largest weights added over levels.
std::string choosing_text(const std::vector<ChoosingResult>& results);
Json choosing_json(const std::vector<ChoosingResult>& results);
/// The bandwidths of the runs, best first, a line for each way: an SVG file.
std::string choosing_picture(const std::string& title, const std::vector<ChoosingResult>& results);

}  // namespace weft::cli
