// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// kdor-hc and kdor-ghc: packets complete blocks of two dimensions one after the other. Within a
// block switches select any port of a shortest path, without deadlock. On damaged fabrics, and
// where this makes the groups larger, the groups have all shortest paths that three lanes permit,
// in private tables for each lane too.
#include "routing/adaptive/kdor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "fabric/generators/spec.h"
#include "routing/adaptive/dimension_blocks.h"
#include "routing/engine.h"
#include "support/fabrics.h"
#include "support/spec_name.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

Result<Routes> kdor(std::string_view engine, const Fabric& fabric, unsigned vls = 8) {
  return run_engine(*find_engine(engine), fabric, {.threads = 1, .vls_max = vls});
}

/// Routes in which the switches have this number of groups, by SwitchId.
Result<Routes> kdor_with(std::string_view engine, const Fabric& fabric, AdaptiveOptions adaptive,
                         unsigned vls = 8) {
  RoutingOptions options{.threads = 1, .vls_max = vls};
  options.adaptive = std::move(adaptive);
  return run_engine(*find_engine(engine), fabric, options);
}

/// Routes within blocks, because switch 0 has no adaptive routing.
Result<Routes> kdor_in_blocks(std::string_view engine, const Fabric& fabric) {
  AdaptiveOptions adaptive;
  adaptive.group_capacity.assign(fabric.switch_count(), kArGroupsMax);
  adaptive.group_capacity[0] = 0;
  return kdor_with(engine, fabric, std::move(adaptive));
}

/// The share of entries of all switches but switch 0 toward other switches with an AR group of
/// several ports.
double share_with_choice(const Fabric& fabric, const Routes& routes) {
  std::size_t with_choice = 0;
  std::size_t all = 0;
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    for (std::uint32_t s = 1; s < fabric.switch_count(); ++s) {
      if (SwitchId(s) == to.sw) continue;
      ++all;
      const PortMask* const group = routes.adaptive->group_of(SwitchId(s), lid);
      with_choice += group != nullptr && group->count() > 1 ? 1 : 0;
    }
  });
  return static_cast<double>(with_choice) / static_cast<double>(all);
}

/// Number of ports in the groups of all switches but switch 0, for packets of hosts at the switch.
std::size_t ports_of_groups(const Fabric& fabric, const Routes& routes) {
  std::size_t ports = 0;
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    for (std::uint32_t s = 1; s < fabric.switch_count(); ++s) {
      const SwitchId sw(s);
      const PortMask* const group =
          routes.adaptive->table_for(sw, PortNum(0), routes.path_sl.sl(sw, to.sw, lid))
              .group_of(sw, lid);
      ports += group == nullptr ? 0 : group->count();
    }
  });
  return ports;
}

struct KdorCase {
  const char* engine;
  const char* spec;
  unsigned vls;
};

TEST(Kdor, SelectsWithinBlocksOfTwoDimensionsOnAFewLanes) {
  for (const KdorCase& use : {KdorCase{"kdor-hc", "hypercube:n=2", 2},
                              {"kdor-hc", "hypercube:n=5", 2},
                              {"kdor-hc", "mesh:4x4,hosts=1", 2},
                              {"kdor-hc", "mesh:3x3x3,hosts=1", 2},
                              {"kdor-hc", "torus:4x4x4,hosts=1", 2},
                              {"kdor-hc", "torus:5x5,hosts=1", 3},
                              {"kdor-hc", "torus:3x5x3,hosts=1", 3},
                              {"kdor-hc", "ring:n=7,hosts=1", 2},
                              {"kdor-ghc", "hypercube:n=4", 2},
                              {"kdor-ghc", "hyperx:3x4,hosts=2", 2},
                              {"kdor-ghc", "hyperx:3x3x3,hosts=1", 2},
                              {"kdor-ghc", "full:n=5,hosts=2", 1}}) {
    const Fabric fabric = fabric_of(use.spec);
    const auto routes = kdor_in_blocks(use.engine, fabric);
    ASSERT_TRUE(routes.has_value()) << use.spec << ": " << routes.error().message;
    EXPECT_TRUE(routes->notes.empty()) << use.spec << ": " << routes->notes.front();
    EXPECT_EQ(routes->vls, use.vls) << use.spec;
    const Verdict verdict = verify(fabric, *routes);
    EXPECT_TRUE(verdict.ok()) << use.spec << describe_cycle(fabric, verdict.credit_loop);
    const bool has_two_dimensions = !std::string_view(use.spec).starts_with("ring") && use.vls > 1;
    EXPECT_EQ(share_with_choice(fabric, *routes) > 0, has_two_dimensions) << use.spec;
  }
}

/// On a hypercube both coordinates of the first block differ for a quarter of the pairs of
/// switches. The first block is equal for another quarter of the pairs. For a quarter of the latter
/// pairs, both coordinates of the second block differ.
TEST(Kdor, HasGroupsOfSeveralPortsInEveryBlock) {
  const Fabric fabric = fabric_of("hypercube:n=4,hosts=1");
  const auto routes = kdor_in_blocks("kdor-hc", fabric);
  ASSERT_TRUE(routes.has_value());
  const double of_pairs = 1.0 / 4 + 1.0 / 4 * 1 / 4;  // pairs of a switch with itself included
  EXPECT_NEAR(share_with_choice(fabric, *routes), of_pairs * 16 / 15, 1e-9);
}

TEST(Kdor, IsNotAdaptiveInBlocksBeyondTheServiceLevels) {
  const Fabric fabric = fabric_of("hypercube:n=10,hosts=1");
  const Trunks trunks(fabric);
  const auto blocks = make_blocks(fabric, coordinates_of(*find_hyperx(trunks)), 3);
  ASSERT_TRUE(blocks.has_value());
  ASSERT_EQ(blocks->size(), 5u);
  EXPECT_TRUE((*blocks)[3].adaptive);
  EXPECT_FALSE((*blocks)[4].adaptive);
}

TEST(Kdor, UsesGroupsOfAllShortestPathsOnDamagedFabricsWithANote) {
  for (const auto& [engine, spec] : {std::pair("kdor-hc", "mesh:4x4,hosts=1,fail=2,seed=1"),
                                     {"kdor-hc", "fattree2:k=4"},
                                     {"kdor-ghc", "hyperx:4x4,hosts=2,fail=3,seed=2"},
                                     {"kdor-ghc", "mesh:3x3,hosts=1"}}) {
    const Fabric fabric = fabric_of(spec);
    const auto routes = kdor(engine, fabric);
    ASSERT_TRUE(routes.has_value()) << spec << ": " << routes.error().message;
    EXPECT_EQ(routes->engine, engine);
    ASSERT_FALSE(routes->notes.empty()) << spec;
    EXPECT_NE(routes->notes.back().find("shortest paths with any order of dimensions"),
              std::string::npos);
    EXPECT_LE(routes->vls, kKdorLanes);
    EXPECT_TRUE(verify(fabric, *routes).ok()) << spec;
  }
}

TEST(Kdor, UsesAnyOrderOfDimensionsIfTheGroupsAreLarger) {
  for (const auto& [engine, spec] : {std::pair("kdor-hc", "hypercube:n=5,hosts=1"),
                                     {"kdor-hc", "torus:4x4x4,hosts=1"},
                                     {"kdor-ghc", "hyperx:3x3x3,hosts=1"}}) {
    const Fabric fabric = fabric_of(spec);
    const auto routes = kdor(engine, fabric);
    const auto in_blocks = kdor_in_blocks(engine, fabric);
    ASSERT_TRUE(routes.has_value() && in_blocks.has_value()) << spec;
    EXPECT_GT(ports_of_groups(fabric, *routes), ports_of_groups(fabric, *in_blocks)) << spec;
    ASSERT_FALSE(routes->notes.empty()) << spec;
    EXPECT_NE(routes->notes.back().find("larger than within blocks"), std::string::npos) << spec;
    EXPECT_LE(routes->vls, kKdorLanes) << spec;
    EXPECT_TRUE(verify(fabric, *routes).ok()) << spec;
  }
}

/// With private tables, a next hop that closes a cycle on one lane stays in the groups of the other
/// lanes. Every second switch of the last routes has no private tables.
TEST(Kdor, HasGroupsOfEachLaneInPrivateTables) {
  const Fabric fabric = fabric_of("torus:6x6,hosts=1,fail=3");
  AdaptiveOptions adaptive;
  adaptive.forwarding_tables.assign(fabric.switch_count(), 1);
  const auto single = kdor_with("kdor-hc", fabric, adaptive);
  adaptive.forwarding_tables.assign(fabric.switch_count(), 3);
  const auto separate = kdor_with("kdor-hc", fabric, adaptive);
  for (std::size_t s = 0; s < fabric.switch_count(); s += 2) adaptive.forwarding_tables[s] = 2;
  const auto mixed = kdor_with("kdor-hc", fabric, adaptive);
  ASSERT_TRUE(single.has_value() && separate.has_value() && mixed.has_value());
  EXPECT_FALSE(single->adaptive->has_private_tables());
  EXPECT_EQ(separate->adaptive->table_count(), 3u);
  EXPECT_GT(ports_of_groups(fabric, *separate), ports_of_groups(fabric, *single));
  EXPECT_GE(ports_of_groups(fabric, *mixed), ports_of_groups(fabric, *single));
  for (std::uint32_t s = 0; s < fabric.switch_count(); s += 2)
    EXPECT_FALSE(mixed->adaptive->selection().is_set(SwitchId(s))) << s;
  for (const auto* routes : {&*single, &*separate, &*mixed}) {
    const Verdict verdict = verify(fabric, *routes);
    EXPECT_TRUE(verdict.ok()) << describe_cycle(fabric, verdict.credit_loop);
  }
}

/// Notifications and sub-groups with weights are for groups of one table.
TEST(Kdor, UsesOneTableWithNotificationsOrSubGroups) {
  const Fabric fabric = fabric_of("torus:6x6,hosts=1,fail=3");
  AdaptiveOptions notifying;
  notifying.notifies.assign(fabric.switch_count(), 1);
  AdaptiveOptions dividing;
  dividing.asymmetric = AsymmetricFlow::kAll;
  for (const AdaptiveOptions& options : {notifying, dividing}) {
    const auto routes = kdor_with("kdor-hc", fabric, options);
    ASSERT_TRUE(routes.has_value());
    EXPECT_FALSE(routes->adaptive->has_private_tables());
    EXPECT_EQ(routes->adaptive->has_notifications(), !options.notifies.empty());
    EXPECT_TRUE(verify(fabric, *routes).ok());
  }
}

TEST(Kdor, UsesMoreLanesOrUpDownPathsIfThreeLanesDoNotSuffice) {
  const Fabric fabric = fabric_of("torus:5x5x5,hosts=1,dead=2");
  for (const auto& [vls, used, why] : {std::tuple(8u, 5u, "any order of dimensions, on 5"),
                                       std::tuple(3u, 1u, "up*/down* paths")}) {
    const auto routes = kdor("kdor-hc", fabric, vls);
    ASSERT_TRUE(routes.has_value()) << routes.error().message;
    EXPECT_EQ(routes->vls, used);
    EXPECT_NE(routes->notes.back().find(why), std::string::npos) << routes->notes.back();
    EXPECT_GT(share_with_choice(fabric, *routes), 0.4);
    const Verdict verdict = verify(fabric, *routes);
    EXPECT_TRUE(verdict.ok()) << describe_cycle(fabric, verdict.credit_loop);
  }
}

class KdorEverywhere : public testing::TestWithParam<const char*> {};

TEST_P(KdorEverywhere, ReachesTheLidsOfMinhopByEverySelectionWithoutDeadlock) {
  const std::string spec = GetParam();
  for (const std::string& damage : {std::string(), std::string(",fail=1,connected=0,seed=1")}) {
    if (!damage.empty() && (spec.find("seed=") != std::string::npos || !generate(spec + damage)))
      continue;
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
      const Fabric fabric = fabric_of(spec + damage, lmc);
      const Verdict plain = verify(fabric, *run_engine(*find_engine("minhop"), fabric, {}));
      for (const char* engine : {"kdor-hc", "kdor-ghc"})
        for (const unsigned vls : {1u, 2u, 8u}) {
          const auto routes = kdor(engine, fabric, vls);
          const std::string place = fmt::format("{}{} {} {} VLs", spec, damage, engine, vls);
          ASSERT_TRUE(routes.has_value()) << place << ": " << routes.error().message;
          const Verdict verdict = verify(fabric, *routes);
          ASSERT_EQ(verdict.ca_to_ca.arrived, plain.ca_to_ca.arrived) << place;
          ASSERT_EQ(verdict.ca_to_switch.arrived, plain.ca_to_switch.arrived) << place;
          ASSERT_EQ(verdict.loops + verdict.lanes_missing, 0u) << place;
          ASSERT_FALSE(verdict.has_credit_loop())
              << place << describe_cycle(fabric, verdict.credit_loop);
          ASSERT_TRUE(verdict.switch_credit_loop.empty()) << place;
          ASSERT_LE(routes->vls, vls) << place;
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, KdorEverywhere, testing::ValuesIn(kSmallSpecs), spec_name);

}  // namespace
}  // namespace weft
