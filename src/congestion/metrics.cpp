// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace weft {
namespace {

struct Named {
  std::string_view name;
  Metric metric;
};
constexpr Named kMetrics[] = {
    {"sum_max_cong", Metric::kSumMaxCong},   {"hist_max_cong", Metric::kHistMaxCong},
    {"hist_acc_band", Metric::kHistAccBand}, {"dep_max_delay", Metric::kDepMaxDelay},
    {"get_cable_cong", Metric::kCableCong},  {"get_cong_map", Metric::kCableCong},
    {"fair_band", Metric::kFairBand},        {"worst_permutation", Metric::kWorstPermutation},
};

Ticks ticks_of(Metric metric, const RunResult& result) {
  return metric == Metric::kDepMaxDelay ? result.delay : result.congestion_sum;
}

std::string statistics_text(std::string_view what, const Statistics& s) {
  return fmt::format(
      "Minimum {0}: {1:.6g}\nMaximum {0}: {2:.6g}\nAverage {0}: {3:.6f}\n"
      "Variance: {4:.6f}\n",
      what, s.least, s.most, s.mean, s.variance);
}

std::string occurrences_text(Metric metric, const Tally& tally, std::string_view what,
                             std::string_view line) {
  std::string text = statistics_text(what, statistics(values_by_run(metric, tally)));
  for (const auto& [value, times] : occurrences(metric, tally))
    text +=
        fmt::format("{} of {} occured {} times.\n", line, weight_text(value, tally.ticks), times);
  return text;
}

std::string weights_text(const Tally& tally) {
  std::string text;
  for (const auto& [weight, bin] : tally.weights)
    text += fmt::format("weight {}: {} of the {} connections\n", weight_text(weight, tally.ticks),
                        bin.connections, tally.connections);
  return text + fmt::format("BW: {:.6f}\n", mean_bandwidth(tally));
}

std::string bandwidth_text(Metric metric, const Tally& tally) {
  const auto values = values_by_run(metric, tally);
  const Statistics s = statistics(values);
  std::string text = statistics_text("bandwidth", s) +
                     fmt::format("Error of the average (99%): {:.6f}\n", s.error99);
  const auto bins = bandwidth_bins(values);
  for (std::size_t i = 0; i < bins.size(); ++i)
    text +=
        fmt::format("Bandwidth {:.2f} to {:.2f}: {} of the {} runs\n", static_cast<double>(i) / 20,
                    static_cast<double>(i + 1) / 20, bins[i], values.size());
  return text;
}

}  // namespace

std::string_view name(Metric metric) {
  return std::ranges::find(kMetrics, metric, &Named::metric)->name;
}

Result<Metric> parse_metric(std::string_view text) {
  std::string known;
  for (const Named& named : kMetrics) {
    if (named.name == text) return named.metric;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", named.name);
  }
  return fail(Code::kUsage, "--metric: found {}, expected one of {}", quoted(text), known);
}

bool has_values_by_run(Metric metric) {
  return metric != Metric::kHistMaxCong && metric != Metric::kCableCong &&
         metric != Metric::kWorstPermutation;
}

Measures measures_of(Metric metric) {
  Measures measures;
  measures.delays = metric == Metric::kDepMaxDelay;
  measures.channels = metric == Metric::kCableCong;
  measures.fair = metric == Metric::kFairBand;
  return measures;
}

Statistics statistics(const std::vector<double>& values) {
  Statistics s;
  s.count = values.size();
  if (values.empty()) return s;
  const auto [least, most] = std::ranges::minmax(values);
  s.least = least;
  s.most = most;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) s.mean += value / n;
  if (values.size() < 2) return s;
  double squares = 0;
  for (const double value : values) squares += (value - s.mean) * (value - s.mean);
  s.variance = squares / (n - 1);
  constexpr double kQuantile = 2.576;  // of the normal distribution: 99% of the values are within
  s.error99 = kQuantile * std::sqrt(s.variance / n);
  return s;
}

std::vector<double> values_by_run(Metric metric, const Tally& tally) {
  std::vector<double> values;
  if (!has_values_by_run(metric)) return values;
  values.reserve(tally.results.size());
  for (const RunResult& result : tally.results) {
    if (metric == Metric::kHistAccBand || metric == Metric::kFairBand) {
      if (result.connections == 0) continue;  // no bandwidth
      values.push_back(metric == Metric::kFairBand ? result.fair_bandwidth : result.bandwidth);
    } else {
      values.push_back(static_cast<double>(ticks_of(metric, result)) /
                       static_cast<double>(tally.ticks));
    }
  }
  return values;
}

std::map<Ticks, std::uint64_t> occurrences(Metric metric, const Tally& tally) {
  std::map<Ticks, std::uint64_t> times;
  for (const RunResult& result : tally.results) ++times[ticks_of(metric, result)];
  return times;
}

std::array<std::uint64_t, kBandwidthBins> bandwidth_bins(const std::vector<double>& values) {
  std::array<std::uint64_t, kBandwidthBins> bins{};
  constexpr double kSlack = 1e-9;  // so that 0.55 is in the bin that begins at 0.55
  for (const double value : values) {
    const double bin = std::max(0.0, value * kBandwidthBins + kSlack);
    ++bins[std::min(kBandwidthBins - 1, static_cast<std::size_t>(bin))];
  }
  return bins;
}

double mean_bandwidth(const Tally& tally) {
  if (tally.connections == 0) return 0;
  double sum = 0;
  for (const auto& [weight, bin] : tally.weights)
    sum += static_cast<double>(bin.volume) / static_cast<double>(weight);
  return sum / static_cast<double>(tally.connections);
}

std::string weight_text(Ticks weight, Ticks ticks) {
  if (weight % ticks == 0) return fmt::format("{}", weight / ticks);
  return fmt::format("{:.6g}", static_cast<double>(weight) / static_cast<double>(ticks));
}

std::string metric_text(Metric metric, const Tally& tally) {
  switch (metric) {
    case Metric::kSumMaxCong:
      return occurrences_text(metric, tally, "congestion sum", "Congestion sum");
    case Metric::kDepMaxDelay:
      return occurrences_text(metric, tally, "delay", "Delay");
    case Metric::kHistMaxCong:
      return weights_text(tally);
    case Metric::kHistAccBand:
    case Metric::kFairBand:
      return bandwidth_text(metric, tally);
    case Metric::kCableCong:
    case Metric::kWorstPermutation:
      return {};
  }
  return {};
}

std::uint64_t largest_channel_sum(const Tally& tally) {
  return tally.channel_sum.empty() ? 0 : *std::ranges::max_element(tally.channel_sum);
}

std::string cable_attributes(const Tally& tally, std::uint32_t channel, std::uint64_t largest) {
  const double congestion =
      largest == 0 ? 0.0
                   : static_cast<double>(tally.channel_sum[channel]) / static_cast<double>(largest);
  return fmt::format("congestion=\"{:.6f}\", color=\"{:.6f} 0.9 0.9\"", congestion,
                     (1 - congestion) * 0.4);
}

double error99(Metric metric, const Tally& tally) {
  const Statistics s = statistics(values_by_run(metric, tally));
  return s.count < kBatch ? std::numeric_limits<double>::infinity() : s.error99;
}

void simulate_until(const RunRange& run, const std::function<bool()>& is_enough,
                    std::uint64_t runs_max) {
  for (std::uint64_t begin = 0; begin < runs_max; begin += kBatch)
    if (!run(begin, std::min(runs_max, begin + kBatch)) || is_enough()) return;
}

std::string describe(const RoutedNetwork& network, const RouteFailure& failure) {
  return fmt::format("run {}, level {}: {} to {}: {} {}", failure.run, failure.level,
                     network.describe_node(network.node_of_host(failure.from)),
                     network.describe_node(network.node_of_host(failure.to)),
                     failure.end == NetWalkEnd::kLoop ? "forwarding loop at" : "no next hop at",
                     network.describe_node(failure.at));
}

}  // namespace weft
