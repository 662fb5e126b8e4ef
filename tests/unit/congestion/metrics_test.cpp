// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Metrics of a tally: the texts of ORCS and the numbers in these texts, the delay of dependent
// messages, compared with another algorithm, and the end of a simulation at an error limit.
#include "congestion/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/tiny.h"
#include "unit/congestion/networks.h"

namespace weft {
namespace {

RunResult run_of(std::uint64_t run, Ticks sum, Ticks delay, double bandwidth) {
  RunResult result;
  result.run = run;
  result.connections = 4;
  result.congestion_sum = sum;
  result.delay = delay;
  result.bandwidth = bandwidth;
  return result;
}

// Listing 3 of the ORCS report, character by character.
TEST(Metrics, HistMaxCongEqualsTheListingOfTheOrcsReport) {
  Tally tally;
  tally.connections = 64;
  tally.weights = {{1, {14, 14}}, {2, {44, 44}}, {3, {6, 6}}};
  EXPECT_EQ(metric_text(Metric::kHistMaxCong, tally),
            "weight 1: 14 of the 64 connections\n"
            "weight 2: 44 of the 64 connections\n"
            "weight 3: 6 of the 64 connections\n"
            "BW: 0.593750\n");
}

TEST(Metrics, SumsAndDelaysAreCountedByValue) {
  Tally tally;
  tally.results = {run_of(0, 5, 2, 0), run_of(1, 9, 3, 0), run_of(2, 5, 2, 0), run_of(3, 5, 3, 0)};
  EXPECT_EQ(metric_text(Metric::kSumMaxCong, tally),
            "Minimum congestion sum: 5\nMaximum congestion sum: 9\n"
            "Average congestion sum: 6.000000\nVariance: 4.000000\n"
            "Congestion sum of 5 occured 3 times.\nCongestion sum of 9 occured 1 times.\n");
  EXPECT_EQ(metric_text(Metric::kDepMaxDelay, tally),
            "Minimum delay: 2\nMaximum delay: 3\nAverage delay: 2.500000\nVariance: 0.333333\n"
            "Delay of 2 occured 2 times.\nDelay of 3 occured 2 times.\n");
}

TEST(Metrics, BandwidthsAreCountedInTwentyBins) {
  Tally tally;
  tally.results = {run_of(0, 1, 1, 1.0), run_of(1, 1, 1, 0.55), run_of(2, 1, 1, 0.549)};
  const std::string text = metric_text(Metric::kHistAccBand, tally);
  EXPECT_THAT(text, testing::HasSubstr("Bandwidth 0.95 to 1.00: 1 of the 3 runs\n"));
  EXPECT_THAT(text, testing::HasSubstr("Bandwidth 0.55 to 0.60: 1 of the 3 runs\n"));
  EXPECT_THAT(text, testing::HasSubstr("Bandwidth 0.50 to 0.55: 1 of the 3 runs\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 25);
  // A value k/20 is in the bin that begins at k/20, for any rounding of the quotient.
  for (std::size_t k = 0; k < kBandwidthBins; ++k)
    for (const double near : {static_cast<double>(k) / 20, static_cast<double>(k) * 0.05})
      EXPECT_EQ(bandwidth_bins({near})[k], 1u) << near;
}

// The 99% interval follows from the standard deviation of the mean, not the variance.
TEST(Metrics, ErrorIsTheErrorOfTheMean) {
  const Statistics s = statistics({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(s.mean, 2.5);
  EXPECT_DOUBLE_EQ(s.variance, 5.0 / 3);
  EXPECT_DOUBLE_EQ(s.error99, 2.576 * std::sqrt(5.0 / 3 / 4));
  EXPECT_EQ(statistics({}).count, 0u);
  EXPECT_EQ(statistics({7}).error99, 0);
}

TEST(Metrics, AcceptsNamesOfMetricsAndRejectsOtherNames) {
  for (const char* text : {"sum_max_cong", "hist_max_cong", "hist_acc_band", "dep_max_delay",
                           "get_cable_cong", "fair_band", "worst_permutation"})
    EXPECT_EQ(name(*parse_metric(text)), text);
  EXPECT_EQ(*parse_metric("get_cong_map"), Metric::kCableCong);
  EXPECT_THAT(parse_metric("max").error().message,
              testing::HasSubstr("found 'max', expected one of"));
}

TEST(Metrics, PrintsFractionalWeights) {
  EXPECT_EQ(weight_text(6, 3), "2");
  EXPECT_EQ(weight_text(7, 3), "2.33333");
}

Ticks delay_of(const RoutedNetwork& network, const std::string& pattern) {
  StudySpec spec = study_of(pattern);
  spec.measures.delays = true;
  return simulated(network, spec, 1).results.at(0).delay;
}

// On a crossbar, messages share channels only at senders and receivers.
TEST(DepMaxDelay, OnACrossbarIsTheDepthOfThePattern) {
  const RoutedNetwork network = routed(Tiny(1).hosts(0, 8).build());
  EXPECT_EQ(delay_of(network, "tree"), 3u);
  EXPECT_EQ(delay_of(network, "bruck"), 3u);
  EXPECT_EQ(delay_of(network, "recdbl"), 3u);  // each level is an exchange of pairs
  EXPECT_EQ(delay_of(network, "ring"), 8u);
  EXPECT_EQ(delay_of(network, "gather"), 7u);
  EXPECT_EQ(delay_of(network, "bisect"), 1u);
  EXPECT_EQ(delay_of(network, "null"), 0u);
}

TEST(DepMaxDelay, CountsTheFirstPatternOnly) {
  const RoutedNetwork network = routed(Tiny(1).hosts(0, 8).build());
  StudySpec spec = study_of("ptrnvsptrn");
  spec.pattern.first = "tree";
  spec.pattern.second = "gather";
  spec.measures.delays = true;
  EXPECT_EQ(simulated(network, spec, 1).results.at(0).delay, 2u);
  std::swap(spec.pattern.first, spec.pattern.second);
  EXPECT_EQ(simulated(network, spec, 1).results.at(0).delay, 3u);
}

/// The length of the longest path through the graph of (level, rank); tries every path.
Ticks longest(const std::vector<std::vector<std::pair<Flow, Ticks>>>& levels, std::size_t level,
              std::uint32_t rank) {
  if (level == levels.size()) return 0;
  Ticks most = longest(levels, level + 1, rank);
  for (const auto& [flow, weight] : levels[level])
    if (flow.from == rank) most = std::max(most, weight + longest(levels, level + 1, flow.to));
  return most;
}

// Three hosts on S0 and three on S2 of a line S0 - S1 - S2. The messages share cables, so their
// weights differ.
TEST(DepMaxDelay, EqualsTheLongestOfAllPaths) {
  const RoutedNetwork network =
      routed(Tiny(3).link(0, 1).link(1, 2).hosts(0, 3).hosts(2, 3).build());
  for (const char* pattern : {"bruck", "tree", "recdbl", "shift", "alltoall", "rand"})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      StudySpec spec = study_of(pattern);
      spec.seed = seed;
      spec.shuffle = false;
      spec.subset.kind = Subset::kRandom;
      spec.measures.delays = true;
      const auto study = make_study(network, spec);
      std::vector<std::vector<std::pair<Flow, Ticks>>> levels;
      for (std::uint64_t l = 0; l < study->pattern.levels; ++l) {
        std::vector<Flow> flows;
        study->pattern.fill(l, flows);
        std::map<std::uint32_t, Ticks> load;
        std::vector<std::vector<std::uint32_t>> routes(flows.size());
        for (std::size_t f = 0; f < flows.size(); ++f) {
          network.walk(study->hosts[flows[f].from], study->hosts[flows[f].to], 0, routes[f]);
          for (const std::uint32_t c : routes[f]) ++load[c];
        }
        levels.emplace_back();
        for (std::size_t f = 0; f < flows.size(); ++f) {
          Ticks weight = 0;
          for (const std::uint32_t c : routes[f]) weight = std::max(weight, load[c]);
          levels.back().emplace_back(flows[f], weight);
        }
      }
      Ticks expected = 0;
      for (std::uint32_t rank = 0; rank < 6; ++rank)
        expected = std::max(expected, longest(levels, 0, rank));
      EXPECT_EQ(run_simulation(network, *study, 0, 1).results.at(0).delay, expected)
          << pattern << " " << seed;
    }
}

TEST(SimulateUntil, StopsAtTheErrorLimitOrAtTheRunLimit) {
  const RoutedNetwork network =
      routed(Tiny(3).link(0, 1).link(1, 2).hosts(0, 3).hosts(2, 3).build());
  const auto study = make_study(network, study_of("rand"));
  const auto until = [&](double error, std::uint64_t runs_max) {
    Tally tally;
    simulate_until(
        [&](std::uint64_t begin, std::uint64_t end) {
          merge(tally, run_simulation(network, *study, begin, end));
          return true;
        },
        [&] { return error99(Metric::kHistAccBand, tally) <= error; }, runs_max);
    return tally;
  };
  const Tally tally = until(0.01, 100'000);
  EXPECT_LE(error99(Metric::kHistAccBand, tally), 0.01);
  EXPECT_EQ(tally.runs() % kBatch, 0u);
  EXPECT_GT(tally.runs(), kBatch);
  EXPECT_EQ(tally, run_simulation(network, *study, 0, tally.runs()));
  EXPECT_EQ(until(0, 250).runs(), 250u);
  EXPECT_EQ(until(1, 250).runs(), 100u);
  unsigned batches = 0;
  simulate_until([&](std::uint64_t, std::uint64_t) { return ++batches < 3; }, [] { return false; },
                 1000);
  EXPECT_EQ(batches, 3u);
}

}  // namespace
}  // namespace weft
