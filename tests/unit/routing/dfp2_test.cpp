// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dfp2 on dragonflies+: adaptive routing over spines and intermediate groups by private tables, on
// two virtual lanes. With missing cables and switches, and with switches without private tables,
// packets arrive for all selections of ports, and the routes are deadlock-free.

#include "routing/adaptive/dfp2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "routing/adaptive/engines.h"
#include "routing/engine.h"
#include "routing/topology.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kIntact = "dragonflyplus:leaves=4,spines=4,h=2,hosts=4";

/// The largest number of cables between groups on a path of packets from a host to a LID.
unsigned most_crossings(const Fabric& fabric, const SwitchGroups& groups, const Routes& routes,
                        SwitchId at, PortNum in, Lid lid, unsigned depth = 0) {
  if (depth > 8) return 100;
  unsigned most = 0;
  for_each_choice(routes.lfts, &*routes.adaptive, at, in, Sl(0), lid, [&](PortNum port) {
    const ChannelId out = fabric.channel_at(at, port);
    if (out == kNoChannel) return;
    const Channel& channel = fabric.channel(out);
    const unsigned crosses = groups.of[at.value()] == groups.of[channel.to.value()] ? 0 : 1;
    most = std::max(most, crosses + most_crossings(fabric, groups, routes, channel.to,
                                                   channel.to_port, lid, depth + 1));
  });
  return most;
}

/// By number of cables between groups: the number of pairs of a leaf and a LID in another group
/// with a path over so many of these cables.
std::map<unsigned, unsigned> crossings(const Fabric& fabric, const Routes& routes) {
  const auto groups = find_groups(fabric);
  std::map<unsigned, unsigned> found;
  for (const EndportId to : fabric.hosts())
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const auto hosts = fabric.endports_at(SwitchId(s));
      const Endport& target = fabric.endport(to);
      if (hosts.empty() || groups->of[s] == groups->of[target.sw.value()]) continue;
      ++found[most_crossings(fabric, *groups, routes, SwitchId(s),
                             fabric.endport(hosts.front()).sw_port, target.lid)];
    }
  return found;
}

void expect_verified(const Fabric& fabric, const Routes& routes, const std::string& what) {
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.ok()) << what << ": " << describe_cycle(fabric, verdict.credit_loop)
                            << describe_cycle(fabric, verdict.switch_credit_loop);
}

TEST(Dfp2, UsesIntermediateGroupsOnTwoVirtualLanes) {
  for (const char* spec : {kIntact, "dragonflyplus:leaves=3,spines=3,h=1,hosts=2",
                           "dragonflyplus:leaves=4,spines=2,h=2,hosts=2,g=4"}) {
    const Fabric fabric = fabric_of(spec);
    const auto routes = run_engine(*find_engine("dfp2"), fabric, {.threads = 1});
    ASSERT_TRUE(routes) << spec << ": " << routes.error().message;
    EXPECT_EQ(routes->engine, "dfp2");
    EXPECT_EQ(routes->vls, 2u) << spec;
    EXPECT_THAT(routes->notes, IsEmpty()) << spec;
    ASSERT_TRUE(routes->adaptive && routes->adaptive->has_private_tables()) << spec;
    EXPECT_EQ(routes->adaptive->table_count(), 2u) << spec;
    expect_verified(fabric, *routes, spec);
    EXPECT_EQ(*routes, *run_engine(*find_engine("dfp2"), fabric, {.threads = 7})) << spec;
  }
}

TEST(Dfp2, PathsUseAtMostOneIntermediateGroup) {
  const Fabric fabric = fabric_of(kIntact);
  const auto routes = route_dfp2(fabric, {});
  ASSERT_TRUE(routes) << routes.error().message;
  const auto found = crossings(fabric, *routes);
  for (const auto& [crossed, pairs] : found) EXPECT_LE(crossed, 2u) << pairs;
  EXPECT_GT(found.at(2), found.at(1)) << "most pairs have such paths";
  // Without the private tables the same switches have minimal paths.
  Routes minimal = *routes;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    minimal.adaptive->clear_private_tables(SwitchId(s));
  EXPECT_EQ(crossings(fabric, minimal).rbegin()->first, 1u);
}

TEST(Dfp2, IsDeadlockFreeIfSomeSwitchesUseNoneOfTheirPrivateTables) {
  const Fabric fabric = fabric_of(kIntact);
  const auto routes = route_dfp2(fabric, {});
  ASSERT_TRUE(routes);
  for (unsigned seed = 0; seed < 3; ++seed) {
    Rng rng(seed);
    Routes some = *routes;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (rng.chance(0.3)) some.adaptive->clear_private_tables(SwitchId(s));
      if (rng.chance(0.2)) some.adaptive->clear(SwitchId(s));
    }
    expect_verified(fabric, some, std::to_string(seed));
  }
}

TEST(Dfp2, IsDeadlockFreeOnDamagedFabrics) {
  constexpr const char* damages[] = {",fail=1", ",fail=3", ",fail=6", ",dead=1", ",dead=2,fail=2"};
  unsigned detours = 0, minimal = 0;
  for (const char* whole : {kIntact, "dragonflyplus:leaves=3,spines=3,h=1,hosts=2"})
    for (const char* damage : damages)
      for (unsigned seed = 0; seed < 4; ++seed) {
        const std::string spec = whole + std::string(damage) + ",seed=" + std::to_string(seed);
        const Fabric fabric = fabric_of(spec);
        const auto routes = run_engine(*find_engine("dfp2"), fabric, {});
        if (!routes) {
          EXPECT_THAT(routes.error().message, HasSubstr("the fabric is not a dragonfly")) << spec;
          continue;
        }
        expect_verified(fabric, *routes, spec);
        const bool has_detours = routes->adaptive && routes->adaptive->has_private_tables();
        ++(has_detours ? detours : minimal);
        if (has_detours) continue;
        EXPECT_THAT(routes->notes, Contains(HasSubstr("dfp2: minimal paths only"))) << spec;
      }
  EXPECT_GE(detours, 30u) << minimal << " without";
}

TEST(Dfp2, UsesMinimalPathsAtSwitchesWithoutPrivateTablesWithANote) {
  const Fabric fabric = fabric_of(kIntact);
  AdaptiveOptions adaptive;
  adaptive.forwarding_tables.assign(fabric.switch_count(), 2);
  for (std::uint32_t s = 0; s < fabric.switch_count(); s += 3) adaptive.forwarding_tables[s] = 1;
  const auto routes = run_engine(*find_engine("dfp2"), fabric, {.adaptive = adaptive});
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_THAT(routes->notes, Contains(HasSubstr("lack private forwarding tables")));
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    EXPECT_EQ(routes->adaptive->selection().is_set(SwitchId(s)), s % 3 != 0) << s;
  expect_verified(fabric, *routes, "mixed");
}

TEST(Dfp2, HasTheRoutesOfArDfpWithoutPrivateTablesWithANote) {
  const Fabric fabric = fabric_of(kIntact);
  AdaptiveOptions adaptive;
  adaptive.forwarding_tables.assign(fabric.switch_count(), 1);
  const RoutingOptions options{.adaptive = adaptive};
  const auto routes = run_engine(*find_engine("dfp2"), fabric, options);
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_THAT(routes->notes,
              Contains("dfp2: minimal paths only, as with ar_dfp: no switch has both "
                       "private forwarding tables and AR groups"));
  const auto plain = run_engine(*find_engine("ar_dfp"), fabric, options);
  ASSERT_TRUE(plain);
  EXPECT_EQ(routes->lfts, plain->lfts);
  EXPECT_EQ(routes->adaptive, plain->adaptive);
  EXPECT_EQ(routes->sl2vl, plain->sl2vl);
}

// The highest group has no intermediate group.
TEST(Dfp2, NamesTheReasonIfNoSwitchWithPrivateTablesHasAPathOverAnIntermediateGroup) {
  const Fabric fabric = fabric_of(kIntact);
  AdaptiveOptions adaptive;
  adaptive.forwarding_tables.assign(fabric.switch_count(), 1);
  adaptive.forwarding_tables.back() = 3;
  const auto routes = run_engine(*find_engine("dfp2"), fabric, {.adaptive = adaptive});
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_THAT(routes->notes, Contains("dfp2: minimal paths only, as with ar_dfp: no switch with "
                                      "private forwarding tables has a path over an intermediate "
                                      "group"));
}

TEST(Dfp2, HasTheRoutesOfArDfpIfAdaptiveRoutingIsRestricted) {
  const Fabric fabric = fabric_of(kIntact);
  AdaptiveOptions adaptive{.algorithm = ArAlgorithm::kLag};
  const auto lag = run_engine(*find_engine("dfp2"), fabric, {.adaptive = adaptive});
  ASSERT_TRUE(lag) << lag.error().message;
  EXPECT_THAT(lag->notes, Contains(HasSubstr("AR_ALGORITHM LAG")));
  EXPECT_FALSE(lag->adaptive->has_private_tables());
  adaptive = {.enabled = false};
  const auto off = run_engine(*find_engine("dfp2"), fabric, {.adaptive = adaptive});
  ASSERT_TRUE(off) << off.error().message;
  EXPECT_THAT(off->notes, Contains(HasSubstr("adaptive routing is disabled")));
  EXPECT_FALSE(off->adaptive);
}

TEST(Dfp2, KeepsTheGroupsOfMostLidsAtSwitchesWithFewGroups) {
  const Fabric fabric = fabric_of(kIntact);
  AdaptiveOptions adaptive;
  adaptive.group_capacity.assign(fabric.switch_count(), 4);
  const auto routes = run_engine(*find_engine("dfp2"), fabric, {.adaptive = adaptive});
  ASSERT_TRUE(routes) << routes.error().message;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    std::size_t groups = 0;
    for (unsigned table = 0; table < routes->adaptive->table_count(); ++table)
      groups += routes->adaptive->table(table).groups(SwitchId(s)).size();
    EXPECT_LE(groups, 4u) << s;
  }
  expect_verified(fabric, *routes, "few groups");
}

TEST(Dfp2, RefusesOtherTopologies) {
  const auto tree = route_dfp2(fabric_of("fattree2:k=4"), {});
  ASSERT_FALSE(tree);
  EXPECT_THAT(tree.error().message, HasSubstr("the fabric is not a dragonfly"));
  const auto dragonfly = route_dfp2(fabric_of("dragonfly:a=4,h=2,p=2"), {});
  ASSERT_FALSE(dragonfly);
  EXPECT_THAT(dragonfly.error().message, HasSubstr("use ar_dfp"));
}

}  // namespace
}  // namespace weft
