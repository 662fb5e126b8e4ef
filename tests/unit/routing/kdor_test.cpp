// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// kdor-hc and kdor-ghc: packets complete blocks of two dimensions one after the other. Within a
// block switches select any port of a shortest path, without deadlock. On damaged fabrics the
// groups have all shortest paths that three lanes permit.
#include "routing/adaptive/kdor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

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

/// The share of entries toward other switches with an AR group of several ports.
double share_with_choice(const Fabric& fabric, const Routes& routes) {
  std::size_t with_choice = 0;
  std::size_t all = 0;
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (SwitchId(s) == to.sw) continue;
      ++all;
      const PortMask* const group = routes.adaptive->group_of(SwitchId(s), lid);
      with_choice += group != nullptr && group->count() > 1 ? 1 : 0;
    }
  });
  return static_cast<double>(with_choice) / static_cast<double>(all);
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
    const auto routes = kdor(use.engine, fabric);
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
  const auto routes = kdor("kdor-hc", fabric);
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
          if (!routes) {
            EXPECT_EQ(routes.error().code, Code::kOutOfVls) << place;
            continue;
          }
          const Verdict verdict = verify(fabric, *routes);
          ASSERT_EQ(verdict.ca_to_ca.arrived, plain.ca_to_ca.arrived) << place;
          ASSERT_EQ(verdict.ca_to_switch.arrived, plain.ca_to_switch.arrived) << place;
          ASSERT_EQ(verdict.loops + verdict.lanes_missing, 0u) << place;
          ASSERT_FALSE(verdict.has_credit_loop())
              << place << describe_cycle(fabric, verdict.credit_loop);
          ASSERT_TRUE(verdict.switch_credit_loop.empty()) << place;
          ASSERT_LE(routes->vls, std::min(vls, kKdorLanes)) << place;
        }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, KdorEverywhere, testing::ValuesIn(kSmallSpecs), spec_name);

}  // namespace
}  // namespace weft
