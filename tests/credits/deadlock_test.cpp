// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the verifier with packets that wait for credits. If the verifier finds a cycle, the
// packets of the pairs in the cycle deadlock. If the verifier finds no cycle, random traffic
// between all hosts does not deadlock.
#include <gtest/gtest.h>

#include <string>

#include "credits/cycle_traffic.h"
#include "credits/random_traffic.h"
#include "routing/nue/nue.h"
#include "support/fabric_of.h"
#include "support/routed_by.h"
#include "support/torus_fabrics.h"
#include "verify/verify.h"

namespace weft::credits {
namespace {

constexpr CreditSimulator::Time kFlits = 100'000;
constexpr std::uint64_t kSeeds = 20;

/// Whether the traffic deadlocks for at least one seed.
bool deadlocks(const Fabric& fabric, const std::vector<EndportId>& sources,
               const Traffic& traffic) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CreditSimulator simulator(fabric, sources, traffic, {.buffer = 1, .seed = seed});
    simulator.run(kFlits);
    if (simulator.drain().packets > 0) return true;
  }
  return false;
}

struct Case {
  const char* spec;
  const char* engine;
  unsigned nue_vls = 0;
};

RoutingOptions options_of(const Case& test, bool ignore_replies = false) {
  RoutingOptions options;
  options.ignore_replies = ignore_replies;
  if (test.nue_vls != 0) options.parameters.set(kNueVls, test.nue_vls);
  if (test.engine == std::string("torus-2QoS"))
    options.torus = torus_config("torus 4 4 4", {4, 4, 4}, {{0, 0, 0}});
  return options;
}

void PrintTo(const Case& test, std::ostream* out) { *out << test.engine << " on " << test.spec; }

class Cycles : public testing::TestWithParam<Case> {};

TEST_P(Cycles, FoundByTheVerifierDeadlock) {
  const Fabric fabric = fabric_of(GetParam().spec);
  const Routes routes = routed_by(GetParam().engine, fabric, options_of(GetParam()));
  const Verdict verdict = verify(fabric, routes);
  ASSERT_TRUE(verdict.has_credit_loop());
  const CycleTraffic cycle(fabric, routes, verdict.credit_loop);
  EXPECT_TRUE(deadlocks(fabric, cycle.sources(), cycle.traffic()))
      << describe_cycle(fabric, verdict.credit_loop);
}

INSTANTIATE_TEST_SUITE_P(Credits, Cycles,
                         testing::Values(Case{"torus:5,hosts=1", "minhop"},
                                         Case{"torus:4x4,hosts=2", "minhop"},
                                         Case{"torus:5x5x5,hosts=1", "sssp"},
                                         Case{"random:n=32,degree=5,hosts=2,seed=1", "minhop"},
                                         Case{"random:n=32,degree=5,hosts=2,seed=1", "sssp"},
                                         Case{"kautz:b=3,n=2,hosts=2", "minhop"},
                                         Case{"dragonfly:a=4,h=2,p=2", "minhop"},
                                         Case{"hypercube:n=5,hosts=1,fail=6,seed=1", "sssp"}));

class ReplyCycles : public testing::TestWithParam<Case> {};

TEST_P(ReplyCycles, DeadlockOnlyWithReplies) {
  const Fabric fabric = fabric_of(GetParam().spec);
  const Routes routes = routed_by(GetParam().engine, fabric, options_of(GetParam(), true));
  ASSERT_FALSE(verify(fabric, routes, {.ignore_replies = true}).has_credit_loop());
  const Verdict verdict = verify(fabric, routes);
  ASSERT_TRUE(verdict.has_credit_loop());
  const CycleTraffic cycle(fabric, routes, verdict.credit_loop);
  EXPECT_TRUE(deadlocks(fabric, cycle.sources(), cycle.traffic()))
      << describe_cycle(fabric, verdict.credit_loop);
  const HostPaths paths(fabric, routes);
  CreditSimulator requests(fabric, paths.hosts(), uniform_traffic(paths, false), {.buffer = 1});
  requests.run(kFlits);
  EXPECT_EQ(requests.drain().packets, 0u);
}

INSTANTIATE_TEST_SUITE_P(Credits, ReplyCycles,
                         testing::Values(Case{"random:n=32,degree=5,hosts=2,seed=1", "dfsssp"},
                                         Case{"torus:5x5x5,hosts=1", "nue", 4}));

class NoCycles : public testing::TestWithParam<Case> {};

TEST_P(NoCycles, NeverDeadlock) {
  const Fabric fabric = fabric_of(GetParam().spec);
  const Routes routes = routed_by(GetParam().engine, fabric, options_of(GetParam()));
  ASSERT_FALSE(verify(fabric, routes).has_credit_loop());
  const HostPaths paths(fabric, routes);
  CreditSimulator simulator(fabric, paths.hosts(), uniform_traffic(paths, true), {.buffer = 1});
  simulator.run(kFlits);
  EXPECT_GT(simulator.delivered(), kFlits / 16);
  const StuckPackets stuck = simulator.drain();
  EXPECT_EQ(stuck.packets, 0u) << "packets remain in " << stuck.lanes.size() << " lanes";
}

INSTANTIATE_TEST_SUITE_P(
    Credits, NoCycles,
    testing::Values(Case{"torus:4x4,hosts=2", "dfsssp"}, Case{"torus:4x4,hosts=2", "lash"},
                    Case{"torus:4x4,hosts=2", "updn"}, Case{"torus:5x5x5,hosts=1", "nue", 4},
                    Case{"torus:5x5x5,hosts=1", "nue", 1},
                    Case{"torus:4x4x4,hosts=1", "torus-2QoS"},
                    Case{"random:n=32,degree=5,hosts=2,seed=1", "dfsssp"},
                    Case{"random:n=32,degree=5,hosts=2,seed=1", "lash"},
                    Case{"random:n=32,degree=5,hosts=2,seed=1", "nue"},
                    Case{"random:n=32,degree=5,hosts=2,seed=1", "dnup"},
                    Case{"dragonfly:a=4,h=2,p=2", "dfp"}, Case{"dragonfly:a=4,h=2,p=2", "dfsssp"},
                    Case{"hyperx:3x3x3,hosts=1", "dfsssp"}, Case{"hypercube:n=5,hosts=1", "nue"},
                    Case{"fattree3:k=8,fail=6,seed=1", "ftree"},
                    Case{"fattree2:k=8,fail=2,seed=1", "updn"}));

}  // namespace
}  // namespace weft::credits
