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

std::vector<PolicyResult> compare_policies(const Study& study,
                                           const std::function<Tally(const Study&)>& simulate) {
  constexpr std::array kPolicies{std::pair{"static", PortPolicy::kStatic},
                                 std::pair{"greedy", PortPolicy::kGreedy},
                                 std::pair{"split", PortPolicy::kSplit}};
  std::vector<PolicyResult> results;
  for (const auto& [name, policy] : kPolicies) {
    Study one = study;
    one.spec.port_policy = policy;
    results.push_back({name, simulate(one)});
  }
  return results;
}

std::string policies_text(const std::vector<PolicyResult>& results) {
  std::string text = "switches   bandwidth    error 99%   worst run   congestion\n";
  for (const PolicyResult& result : results) {
    const Row row = row_of(result.tally);
    text +=
        fmt::format("{:<8} {:>11.4f}  {:>11.4f} {:>11.4f} {:>12.2f}\n", result.name,
                    row.bandwidth.mean, row.bandwidth.error99, row.bandwidth.least, row.congestion);
  }
  return text;
}

Json policies_json(const std::vector<PolicyResult>& results) {
  Json json = Json::array();
  for (const PolicyResult& result : results) {
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

std::string policies_picture(const std::string& title, const std::vector<PolicyResult>& results) {
  std::vector<Series> series;
  for (const PolicyResult& result : results)
    series.push_back({result.name, run_colour(series.size()),
                      values_by_run(Metric::kHistAccBand, result.tally)});
  return sorted_values(title, "share of the runs", "bandwidth of a run, of the full one", series)
      .finish(true);
}

}  // namespace weft::cli
