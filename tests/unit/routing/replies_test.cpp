// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dfsssp and lash with replies, which use the SL of the request. Routes on random damaged fabrics
// pass the verifier, and the number of additional VLs is limited.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/rng.h"
#include "fabric/generators/spec.h"
#include "routing/dfsssp.h"
#include "routing/engine.h"
#include "routing/lash.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr std::array kShapes{
    "fattree2:k=8",
    "fattree2:k=8,trunks=2",
    "fattree3:k=6",
    "xgft:m=3x3x2,w=1x2x3",
    "torus:5x5,hosts=2",
    "torus:4x3x3",
    "torus:6x4,trunks=2",
    "mesh:4x3x3,hosts=2",
    "ring:n=9,hosts=2",
    "hypercube:n=5",
    "hyperx:4x5,hosts=2",
    "dragonfly:a=4,h=2,p=2",
    "dragonflyplus:leaves=3,spines=3,h=2,hosts=2",
    "slimfly:q=5",
    "kautz:b=2,n=3",
    "full:n=7,hosts=2",
    "random:n=24,degree=4,hosts=2",
    "random:n=40,degree=3,hosts=1",
};

struct RandomCase {
  std::string spec;
  std::uint8_t lmc = 0;
  RoutingOptions options{};

  std::string replay() const {
    return spec + " lmc " + std::to_string(lmc) + " lanes " + std::to_string(options.vls_max) +
           (options.balance == Balance::kLocal ? " --balance=local" : "") +
           (options.compute_nodes.empty() ? "" : " every third host a compute node");
  }
};

RandomCase random_case(std::uint64_t seed) {
  Rng rng(seed);
  RandomCase tested{kShapes[rng.below(kShapes.size())]};
  if (const auto fail = rng.below(6); fail > 0) tested.spec += ",fail=" + std::to_string(fail);
  if (rng.chance(0.3)) tested.spec += ",dead=" + std::to_string(1 + rng.below(2));
  if (rng.chance(0.2)) tested.spec += ",connected=0";
  tested.spec += ",seed=" + std::to_string(seed);
  if (rng.chance(0.3)) tested.lmc = static_cast<std::uint8_t>(1 + rng.below(2));
  tested.options.vls_max = rng.chance(0.5) ? 8 : 3;
  if (rng.chance(0.3)) tested.options.balance = Balance::kLocal;
  if (rng.chance(0.2))
    for (std::uint32_t i = 0; i < 8; ++i) tested.options.compute_nodes.push_back(EndportId(3 * i));
  return tested;
}

/// Expects one SL for both directions between two switches, for all LIDs of the switches and their
/// hosts.
void expect_one_sl_both_ways(const Fabric& fabric, const Routes& routes, const std::string& what) {
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    for (const Endport& from : fabric.endports()) {
      if (from.sw == kNoSwitch || from.sw == to.sw) continue;
      ASSERT_EQ(routes.path_sl.sl(from.sw, to.sw, lid), routes.path_sl.sl(to.sw, from.sw, from.lid))
          << what;
    }
  });
}

TEST(Replies, DfssspAndLashRoutesVerifyOnRandomDamagedFabrics) {
  unsigned routed = 0, with_several_vls = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    RandomCase tested = random_case(seed);
    if (!generate(tested.spec)) continue;  // the fabric is too small for the damage
    const Fabric fabric = fabric_of(tested.spec, tested.lmc);
    std::erase_if(tested.options.compute_nodes, [&](EndportId id) {
      return id.value() >= fabric.endport_count() || fabric.is_switch(fabric.endport(id).node);
    });
    for (const auto run : {find_engine("dfsssp")->run, find_engine("lash")->run}) {
      const auto routes = run(fabric, tested.options);
      const std::string what =
          (run == find_engine("lash")->run ? "lash " : "dfsssp ") + tested.replay();
      if (!routes) {
        ASSERT_TRUE(routes.error().code == Code::kOutOfVls ||
                    (run == find_engine("lash")->run && tested.lmc > 0))
            << what << ": " << routes.error().message;
        continue;
      }
      ++routed;
      with_several_vls += routes->vls_needed > 1 ? 1 : 0;
      const Verdict verdict = verify(fabric, *routes, {.threads = 1});
      ASSERT_TRUE(verdict.ca_to_ca.all_joined() && verdict.loops == 0) << what;
      ASSERT_TRUE(verdict.credit_loop.empty()) << what << '\n'
                                               << describe_cycle(fabric, verdict.credit_loop);
      ASSERT_TRUE(verdict.switches_ok()) << what << '\n'
                                         << describe_cycle(fabric, verdict.switch_credit_loop);
      ASSERT_LE(routes->vls, tested.options.vls_max) << what;
      expect_one_sl_both_ways(fabric, *routes, what);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(routed, 500u);
  EXPECT_GT(with_several_vls, 200u);
}

TEST(Replies, AreNotConsideredByDfssspIfIgnored) {
  const Fabric fabric = fabric_of("random:n=32,degree=5,hosts=2,seed=1");
  RoutingOptions options;
  options.ignore_replies = true;
  const auto routes = route_dfsssp(fabric, options);
  ASSERT_TRUE(routes.has_value());
  EXPECT_TRUE(verify(fabric, *routes, {.ignore_replies = true}).ok());
  EXPECT_TRUE(verify(fabric, *routes).has_credit_loop());
  const auto both_directions = route_dfsssp(fabric, {});
  ASSERT_TRUE(both_directions.has_value());
  EXPECT_TRUE(verify(fabric, *both_directions).ok());
}

// The comparison is with VLs for requests only, as with --replies=ignore.
TEST(Replies, CostDfssspAtMostOneVlOnAverage) {
  int more = 0;
  constexpr std::array kFabrics{"fattree3:k=8,fail=6,seed=1",
                                "fattree3:k=16,fail=41,seed=1",
                                "torus:6x6x6,hosts=1",
                                "torus:6x6x6,hosts=1,dead=12,seed=5",
                                "torus:5x5x5,hosts=1,fail=10,seed=2",
                                "torus:12x12,hosts=1,dead=2,seed=1",
                                "mesh:6x6x6,hosts=1,fail=8,seed=1",
                                "dragonfly:a=8,h=4,p=2",
                                "dragonfly:a=8,h=4,p=2,fail=20,seed=1",
                                "dragonflyplus:leaves=4,spines=4,h=2,hosts=4",
                                "hyperx:6x6,hosts=2,fail=8,seed=1",
                                "hypercube:n=7,hosts=1,dead=5,seed=2",
                                "kautz:b=3,n=3",
                                "slimfly:q=5",
                                "random:n=128,degree=8,hosts=2,seed=1",
                                "random:n=256,degree=10,hosts=1,seed=1"};
  for (const char* spec : kFabrics) {
    const Fabric fabric = fabric_of(spec);
    RoutingOptions ignored;
    ignored.ignore_replies = true;
    const auto one_direction = route_dfsssp(fabric, ignored);
    const auto both_directions = route_dfsssp(fabric, {});
    ASSERT_TRUE(one_direction.has_value() && both_directions.has_value()) << spec;
    more +=
        static_cast<int>(both_directions->vls_needed) - static_cast<int>(one_direction->vls_needed);
  }
  EXPECT_LE(more, static_cast<int>(kFabrics.size()));
}

}  // namespace
}  // namespace weft
