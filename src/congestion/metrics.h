// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The metrics of a tally, as numbers for charts and JSON and as the text that ORCS prints, and the
// number of runs for a requested error.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "congestion/simulate.h"
#include "congestion/tally.h"

namespace weft {

enum class Metric {
  kSumMaxCong,        // by run: sum over levels of the largest weight
  kHistMaxCong,       // weights of all connections
  kHistAccBand,       // bandwidth by run
  kDepMaxDelay,       // by run: the longest path of messages that depend on each other
  kCableCong,         // the graph, with the congestion of each edge
  kFairBand,          // bandwidth by run with max-min fair rates
  kWorstPermutation,  // computed without runs, see permutation_bound.h
};

std::string_view name(Metric metric);
/// get_cong_map is an alias of get_cable_cong. Fails with kUsage, listing all metrics.
Result<Metric> parse_metric(std::string_view text);
/// Whether the metric has a value for each run, and so a mean with a confidence interval.
bool has_values_by_run(Metric metric);
/// The measures that a metric requires.
Measures measures_of(Metric metric);

struct Statistics {
  std::size_t count = 0;
  double least = 0;
  double most = 0;
  double mean = 0;
  double variance = 0;  // of the sample: squares divided by count - 1; 0 for a single value
  /// Half the width of the 99% confidence interval of the mean: 2.576 * sqrt(variance / count).
  double error99 = 0;
};
Statistics statistics(const std::vector<double>& values);

/// The value of each run, in order: congestion sums and delays as weights. Runs without connections
/// have no bandwidth and are left out. Empty for metrics without a value by run.
std::vector<double> values_by_run(Metric metric, const Tally& tally);

/// Number of runs by value, ascending, in ticks: by the delay for kDepMaxDelay, else by the
/// congestion sum.
std::map<Ticks, std::uint64_t> occurrences(Metric metric, const Tally& tally);

/// Bandwidths in 20 bins of 0.05; the last one includes 1.
inline constexpr std::size_t kBandwidthBins = 20;
std::array<std::uint64_t, kBandwidthBins> bandwidth_bins(const std::vector<double>& values);

/// Mean over all connections of uncongested time / weight.
double mean_bandwidth(const Tally& tally);

/// A weight as printed: without decimals if it is a whole number.
std::string weight_text(Ticks weight, Ticks ticks);

/// The metric's lines as ORCS prints them; "" for kCableCong, which is a graph, and
/// kWorstPermutation.
std::string metric_text(Metric metric, const Tally& tally);

/// Attributes of a channel for get_cable_cong: congestion from 0 to 1, relative to `largest` (see
/// largest_channel_sum()), and a colour from green to red.
std::string cable_attributes(const Tally& tally, std::uint32_t channel, std::uint64_t largest);
std::uint64_t largest_channel_sum(const Tally& tally);

/// The error of the average over runs; infinite below kBatch values by run, which are too few for
/// an estimate.
double error99(Metric metric, const Tally& tally);

/// Simulates batches of kBatch runs until is_enough(), at most `runs_max`; with a fixed batch size,
/// the number of runs does not depend on the split of the runs over threads and processes. `run`
/// adds runs to the data that `is_enough` checks; `run` returns false to end the simulation.
inline constexpr std::uint64_t kBatch = 100;
using RunRange = std::function<bool(std::uint64_t begin, std::uint64_t end)>;
void simulate_until(const RunRange& run, const std::function<bool()>& is_enough,
                    std::uint64_t runs_max);

/// "run 3, level 0: "H1" to "H7": forwarding loop at "S3"".
std::string describe(const RoutedNetwork& network, const RouteFailure& failure);

}  // namespace weft
