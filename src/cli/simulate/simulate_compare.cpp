// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/simulate_compare.h"

#include <array>

#include "congestion/metrics.h"
#include "report/palette.h"
#include "report/plots.h"

namespace weft::cli {
namespace {

struct Row {
  Statistics bandwidth;
  double congestion = 0;
};

Row row_of(const Tally& tally) {
  Row row;
  row.bandwidth = statistics(values_by_run(Metric::kHistAccBand, tally));
  row.congestion = statistics(values_by_run(Metric::kSumMaxCong, tally)).mean;
  return row;
}

}  // namespace

std::vector<ChoosingResult> compare_choosing(const Study& study,
                                             const std::function<Tally(const Study&)>& simulate) {
  constexpr std::array kPolicies{std::pair{"static", Choosing::kStatic},
                                 std::pair{"greedy", Choosing::kGreedy},
                                 std::pair{"split", Choosing::kSplit}};
  std::vector<ChoosingResult> results;
  for (const auto& [name, policy] : kPolicies) {
    Study one = study;
    one.spec.choosing = policy;
    results.push_back({name, simulate(one)});
  }
  return results;
}

std::string choosing_text(const std::vector<ChoosingResult>& results) {
  std::string text = "switches   bandwidth    error 99%   worst run   congestion\n";
  for (const ChoosingResult& result : results) {
    const Row row = row_of(result.tally);
    text +=
        fmt::format("{:<8} {:>11.4f}  {:>11.4f} {:>11.4f} {:>12.2f}\n", result.name,
                    row.bandwidth.mean, row.bandwidth.error99, row.bandwidth.least, row.congestion);
  }
  return text;
}

Json choosing_json(const std::vector<ChoosingResult>& results) {
  Json json = Json::array();
  for (const ChoosingResult& result : results) {
    const Row row = row_of(result.tally);
    json.push_back({{"switches", result.name},
                    {"runs", result.tally.runs()},
                    {"bandwidth", row.bandwidth.mean},
                    {"error99", row.bandwidth.error99},
                    {"worst_run", row.bandwidth.least},
                    {"congestion", row.congestion},
                    {"dropped", result.tally.dropped}});
  }
  return {{"adaptive", std::move(json)}};
}

std::string choosing_picture(const std::string& title, const std::vector<ChoosingResult>& results) {
  std::vector<Series> series;
  for (const ChoosingResult& result : results)
    series.push_back({result.name, run_colour(series.size()),
                      values_by_run(Metric::kHistAccBand, result.tally)});
  return sorted_values(title, "share of the runs", "bandwidth of a run, of the full one", series)
      .finish(true);
}

}  // namespace weft::cli
