// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the quality figures with a packet simulation. Engines with one lane have the same order
// by the flow model and by the throughput of packets with credits if all hosts send as fast as they
// can. The flow model does not include packets that wait behind packets for another link. With one
// lane such packets reduce the throughput by up to a half, with several lanes by little. Therefore
// engines with different numbers of lanes are not compared with each other; one test compares the
// throughput of each with the flow model.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "congestion/quality/quality.h"
#include "credits/random_traffic.h"
#include "support/fabric_of.h"
#include "support/routed_by.h"

namespace weft::credits {
namespace {

constexpr CreditOptions kCredits{.flits = 16, .buffer = 4};
constexpr CreditSimulator::Time kWindow = 30'000;
constexpr unsigned kMatchings = 10;

struct Figures {
  std::string engine;
  unsigned vls = 0;
  double alltoall = 0;  // by the flow model
  double ebb = 0;
  double uniform = 0;  // by the packet simulation
  double matched = 0;
};

Figures measure(const Fabric& fabric, const std::string& engine) {
  const Routes routes = routed_by(engine, fabric);
  const Quality quality = assess(fabric, routes);
  const HostPaths paths(fabric, routes);
  Figures figures{engine, routes.vls, quality.alltoall, quality.ebb};
  figures.uniform = throughput(fabric, paths, uniform_traffic(paths, false), kCredits, kWindow);
  for (unsigned seed = 0; seed < kMatchings; ++seed)
    figures.matched +=
        throughput(fabric, paths, matched_traffic(paths, seed), kCredits, kWindow / 4) / kMatchings;
  return figures;
}

struct Comparison {
  const char* spec;
  std::vector<std::string> engines;
};
void PrintTo(const Comparison& test, std::ostream* out) { *out << test.spec; }

class Ranking : public testing::TestWithParam<Comparison> {};

/// Engines are compared only if their figures differ by this factor, because runs vary by some
/// percent.
constexpr double kRatioMin = 1.08;

TEST_P(Ranking, ByPacketThroughputEqualsRankingByFlowModel) {
  const Fabric fabric = fabric_of(GetParam().spec);
  std::vector<Figures> all;
  for (const std::string& engine : GetParam().engines) {
    all.push_back(measure(fabric, engine));
    ASSERT_EQ(all.back().vls, 1u) << engine;
  }
  unsigned ranked = 0;
  for (const Figures& a : all)
    for (const Figures& b : all) {
      const std::string pair = a.engine + " and " + b.engine;
      if (a.alltoall > kRatioMin * b.alltoall) {
        EXPECT_GT(a.uniform, b.uniform) << pair << ": " << a.alltoall << " and " << b.alltoall;
        ++ranked;
      }
      if (a.ebb > kRatioMin * b.ebb) {
        EXPECT_GT(a.matched, b.matched) << pair << ": " << a.ebb << " and " << b.ebb;
        ++ranked;
      }
    }
  EXPECT_GT(ranked, 0u) << "no pair of engines was compared";
}

/// With several lanes the throughput is near the throughput of the flow model; with one lane the
/// throughput is lower.
TEST(Saturation, ThroughputIsNearTheFlowModelWithSeveralLanes) {
  const Fabric fabric = fabric_of("random:n=64,degree=6,hosts=2,seed=1");
  const Figures lanes = measure(fabric, "dfsssp");
  EXPECT_GT(lanes.vls, 4u);
  EXPECT_NEAR(lanes.uniform, lanes.alltoall, 0.15 * lanes.alltoall);
  const Figures one = measure(fabric, "nue");
  EXPECT_EQ(one.vls, 1u);
  EXPECT_LT(one.uniform, 0.8 * one.alltoall);
}

INSTANTIATE_TEST_SUITE_P(
    Credits, Ranking,
    testing::Values(Comparison{"random:n=64,degree=6,hosts=2,seed=1", {"updn", "dnup", "nue"}},
                    Comparison{"torus:4x4x4,hosts=1", {"updn", "dnup", "nue"}},
                    Comparison{"dragonfly:a=4,h=2,p=2", {"updn", "nue"}},
                    Comparison{"fattree3:k=6,fail=5,seed=2", {"updn", "ftree", "nue"}}));

}  // namespace
}  // namespace weft::credits
