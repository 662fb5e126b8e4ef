// Simulation runs as a whole: what threads and splits do not change, what failing routes do, and
// the report's example.
#include "congestion/simulate.h"

#include <gtest/gtest.h>

#include "congestion/metrics.h"
#include "routing/minhop.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "unit/routing/walks.h"

namespace weft {
namespace {

RoutedNetwork routed(const Fabric& fabric) {
  const auto routes = route_minhop(fabric, {});
  CHECK(routes.has_value());
  auto network = network_of(fabric, routes->lfts);
  CHECK(network.has_value());
  return std::move(*network);
}

StudySpec study_of(const std::string& pattern) {
  StudySpec spec;
  spec.pattern.name = pattern;
  return spec;
}

Tally simulated(const RoutedNetwork& network, const StudySpec& spec, std::uint64_t runs,
                unsigned threads = 1) {
  const auto study = make_study(network, spec);
  CHECK(study.has_value());
  return run_simulation(network, *study, 0, runs, {.threads = threads});
}

// The report's example: 16 hosts, 4 levels of 16 messages each.
TEST(Simulate, BruckOnSixteenHostsHas64Connections) {
  const Tally tally = simulated(routed(lidded("fattree3:k=4")), study_of("bruck"), 1);
  EXPECT_EQ(tally.connections, 64u);
  EXPECT_EQ(metric_text(Metric::kHistMaxCong, tally),
            "weight 1: 30 of the 64 connections\nweight 2: 34 of the 64 connections\n"
            "BW: 0.734375\n");
}

TEST(Simulate, GatherOnACrossbarIsAsFullAsItsOneReceiver) {
  const RoutedNetwork network = routed(Tiny(1).hosts(0, 8).build());
  const Tally tally = simulated(network, study_of("gather"), 3);
  EXPECT_EQ(tally.weights, (std::map<Ticks, WeightBin>{{7, {21, 21}}}));
  EXPECT_EQ(simulated(network, study_of("bisect"), 3).weights,
            (std::map<Ticks, WeightBin>{{1, {12, 12}}}));
}

TEST(Simulate, IsEqualForAnyThreadsAndAnySplit) {
  const RoutedNetwork network = routed(lidded("fattree3:k=4"));
  for (const char* pattern : {"rand", "bisect_fb_sym", "ring", "alltoallv:3", "neighbor2d"}) {
    StudySpec spec = study_of(pattern);
    spec.measures = {true, true, true};
    spec.seed = 7;
    const Tally one = simulated(network, spec, 50, 1);
    EXPECT_EQ(one.to_bytes(), simulated(network, spec, 50, 8).to_bytes()) << pattern;
    const auto study = make_study(network, spec);
    Tally parts = run_simulation(network, *study, 30, 50, {.threads = 2});
    merge(parts, run_simulation(network, *study, 0, 11, {.threads = 1}));
    merge(parts, run_simulation(network, *study, 11, 30, {.threads = 3}));
    EXPECT_EQ(one, parts) << pattern;
    EXPECT_EQ(one, *Tally::from_bytes(one.to_bytes()));
  }
}

}  // namespace
}  // namespace weft
