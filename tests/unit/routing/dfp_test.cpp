// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dfp on dragonflies and dragonflies+: paths over few cables between groups, on few lanes. With
// missing cables and switches all pairs are still reachable, and there is no deadlock.

#include "routing/dfp/dfp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "routing/engine.h"
#include "routing/topology.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::HasSubstr;

/// Number of cables between groups on the path of each (switch with hosts, LID) pair, for the LIDs
/// with a given offset: the maximum and the sum over all pairs.
struct Crossings {
  unsigned most = 0;
  std::uint64_t sum = 0;
};
Crossings crossings(const Fabric& fabric, const Routes& routes, unsigned offset) {
  const auto groups = find_groups(fabric);
  Crossings result;
  for (const EndportId id : fabric.hosts()) {
    const Endport& to = fabric.endport(id);
    const Lid lid(static_cast<std::uint16_t>(to.lid.value() + offset));
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (fabric.endports_at(SwitchId(s)).empty()) continue;
      unsigned crossed = 0;
      for (std::uint32_t at = s; at != to.sw.value();) {
        const std::uint32_t next = *switch_behind(fabric, at, routes.lfts.port(SwitchId(at), lid));
        crossed += groups->of[at] != groups->of[next] ? 1 : 0;
        at = next;
      }
      result.most = std::max(result.most, crossed);
      result.sum += crossed;
    }
  }
  return result;
}

struct Whole {
  const char* spec;
  unsigned vls;
};
constexpr Whole kWhole[] = {{"dragonfly:a=4,h=2,p=2", 2},
                            {"dragonfly:a=6,h=3,p=3", 2},
                            {"dragonfly:a=4,h=1,p=1", 2},
                            {"dragonfly:a=5,h=2,p=1,g=7", 2},
                            {"dragonflyplus:leaves=4,spines=4,h=2,hosts=4", 2},
                            {"dragonflyplus:leaves=3,spines=3,h=1,hosts=2", 2},
                            {"dragonflyplus:leaves=4,spines=2,h=2,hosts=2,g=4", 2}};

TEST(Dfp, CrossesOneCableBetweenGroupsOnFewLanes) {
  for (const Whole& whole : kWhole) {
    const Fabric fabric = fabric_of(whole.spec);
    const auto routes = route_dfp(fabric, {});
    ASSERT_TRUE(routes) << whole.spec << ": " << routes.error().message;
    const Verdict verdict = verify(fabric, *routes);
    EXPECT_TRUE(verdict.ok()) << whole.spec;
    EXPECT_TRUE(verdict.switch_credit_loop.empty()) << whole.spec;
    EXPECT_EQ(routes->vls, whole.vls) << whole.spec;
    EXPECT_EQ(crossings(fabric, *routes, 0).most, 1u) << whole.spec;
    EXPECT_EQ(*routes, *route_dfp(fabric, RoutingOptions{.threads = 7})) << whole.spec;
  }
}

TEST(Dfp, ConnectsAllPairsOfDamagedFabrics) {
  constexpr const char* damages[] = {",fail=1", ",fail=3", ",fail=6", ",dead=1", ",dead=2,fail=2"};
  unsigned routed = 0, refused = 0;
  for (const Whole& whole : {kWhole[0], kWhole[1], kWhole[4], kWhole[5]})
    for (const char* damage : damages)
      for (unsigned seed = 0; seed < 6; ++seed) {
        const std::string spec = whole.spec + std::string(damage) + ",seed=" + std::to_string(seed);
        const Fabric fabric = fabric_of(spec);
        const auto routes = route_dfp(fabric, {});
        if (!routes) {  // the error gives a reason
          EXPECT_THAT(routes.error().message, HasSubstr("the fabric is not a dragonfly")) << spec;
          EXPECT_FALSE(find_groups(fabric)) << spec;
          ++refused;
          continue;
        }
        ++routed;
        const Verdict verdict = verify(fabric, *routes);
        EXPECT_TRUE(verdict.ok()) << spec;
        EXPECT_LE(routes->vls_needed, 4u) << spec;
      }
  // Of 120 fabrics, those with partitioned groups are refused.
  EXPECT_LE(refused, 3u) << routed << " routed";
}

TEST(Dfp, DetoursUseAnIntermediateGroup) {
  for (const char* spec :
       {"dragonfly:a=4,h=2,p=2", "dragonflyplus:leaves=4,spines=4,h=2,hosts=4"}) {
    const Fabric fabric = fabric_of(spec, 1);
    const auto routes = route_dfp(fabric, RoutingOptions{.parameters = {{kDfpDetours, 1}}});
    ASSERT_TRUE(routes) << spec << ": " << routes.error().message;
    EXPECT_TRUE(verify(fabric, *routes).ok()) << spec;
    const Crossings first = crossings(fabric, *routes, 0);
    const Crossings second = crossings(fabric, *routes, 1);
    EXPECT_EQ(first.most, 1u) << spec;
    EXPECT_EQ(second.most, 2u) << spec;
    EXPECT_GT(10 * second.sum, 15 * first.sum) << spec;
  }
}

TEST(Dfp, AdaptiveRoutingUsesTheSpinesOfADragonflyPlus) {
  for (const char* damage : {"", ",fail=4,seed=1", ",fail=8,seed=2", ",dead=1,seed=3"}) {
    const std::string spec =
        std::string("dragonflyplus:leaves=4,spines=4,h=4,hosts=4,g=5") + damage;
    const Fabric fabric = fabric_of(spec);
    const Engine& engine = *find_engine("ar_dfp");
    const auto routes = run_engine(engine, fabric, {});
    ASSERT_TRUE(routes) << spec << ": " << routes.error().message;
    ASSERT_TRUE(routes->adaptive) << spec;
    // The verifier covers every selection of ports.
    EXPECT_TRUE(verify(fabric, *routes).ok()) << spec;
    EXPECT_EQ(routes->lfts, route_dfp(fabric, {})->lfts) << spec;
    if (*damage == 0) {
      const ArCount count = weft::count(*routes->adaptive);
      EXPECT_GE(count.switches, 20u);  // at least all leaves
      EXPECT_GT(count.entries, 0u);
    }
  }
  // On this dragonfly a single cable joins each two groups, so AR groups have no second port.
  const auto dragonfly = run_engine(*find_engine("ar_dfp"), fabric_of("dragonfly:a=4,h=2,p=2"), {});
  ASSERT_TRUE(dragonfly);
  EXPECT_TRUE(verify(fabric_of("dragonfly:a=4,h=2,p=2"), *dragonfly).ok());
}

TEST(Dfp, RefusesOtherTopologiesAndTooFewLanes) {
  for (const char* spec : {"fattree2:k=4", "torus:4x4,hosts=1", "ring:n=5,hosts=1"}) {
    const auto routes = route_dfp(fabric_of(spec), {});
    ASSERT_FALSE(routes) << spec;
    EXPECT_EQ(routes.error().code, Code::kUnroutable);
    EXPECT_THAT(routes.error().message, HasSubstr("the fabric is not a dragonfly"));
  }
  const auto one = route_dfp(fabric_of("dragonfly:a=4,h=2,p=2"), RoutingOptions{.vls_max = 1});
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().code, Code::kOutOfVls);
}

}  // namespace
}  // namespace weft
