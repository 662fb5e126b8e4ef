// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// torus-2QoS with multicast: routes on tori with 2, 4 and 8 VLs, routes on damaged tori, and the
// notes of the engine.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "routing/engine.h"
#include "support/full_size.h"
#include "support/groups.h"
#include "support/torus_fabrics.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct MulticastShape {
  const char* spec;
  const char* text;
  std::array<unsigned, 3> radix;
};

const MulticastShape kMulticastShapes[] = {{"torus:7x5,hosts=1", "torus 7 5 1", {7, 5, 1}},
                                           {"torus:5x7,hosts=1", "torus 5 7 1", {5, 7, 1}},
                                           {"torus:5x5x5,hosts=1", "torus 5 5 5", {5, 5, 5}},
                                           {"torus:3x6x5,hosts=1", "torus 3 6 5", {3, 6, 5}},
                                           {"mesh:4x5,hosts=1", "mesh 4 5 1", {4, 5, 1}}};

/// The configuration has seeds at many positions, so that a usable seed remains after any damage.
TorusConfig config_of(const MulticastShape& shape) {
  const auto& r = shape.radix;
  return torus_config(shape.text, r,
                      {{0, 0, 0}, {r[0] / 2, r[1] / 2, r[2] / 2}, {r[0] - 1, 1, r[2] / 3}});
}

/// Expects that the verifier accepts the unicast and multicast routes, and that no port outside a
/// group receives packets of the group. Returns false if the engine refuses the fabric.
bool expect_torus_verified(const Fabric& fabric, const RoutingOptions& given,
                           const std::string& replay) {
  RoutingOptions options = given;
  options.groups = some_groups(fabric, 7);
  const auto routes = run_engine(*find_engine("torus-2QoS"), fabric, options);
  if (!routes) return false;
  const Verdict verdict = verify(fabric, *routes, {.groups = options.groups});
  EXPECT_TRUE(verdict.ok()) << replay;
  EXPECT_TRUE(verdict.multicast_ok()) << replay << '\n'
                                      << describe_cycle(fabric, verdict.multicast_credit_loop);
  EXPECT_EQ(verdict.multicast.non_member_copies, 0u) << replay;
  return true;
}

TEST(TorusMulticast, HasNoCycleWithUnicastOnTwoFourAndEightVls) {
  for (const MulticastShape& shape : kMulticastShapes)
    for (const unsigned lanes : {2u, 4u, 8u})
      EXPECT_TRUE(expect_torus_verified(fabric_of(shape.spec),
                                        {.vls_max = lanes, .torus = config_of(shape)},
                                        fmt::format("{} with {} lanes", shape.spec, lanes)));
}

TEST(TorusMulticast, HasNoCycleWithUnicastAroundEveryMissingSwitch) {
  for (const MulticastShape& shape : kMulticastShapes) {
    const Fabric fabric = fabric_of(shape.spec);
    const TorusConfig config = config_of(shape);
    unsigned routed = 0, cases = 0;
    for (std::uint32_t s = 0; s < fabric.switch_count(); s += case_step(7), ++cases)
      routed += expect_torus_verified(without(fabric, {SwitchId(s)}), {.torus = config},
                                      fmt::format("{} without switch {}", shape.spec, s));
    EXPECT_TRUE(std::string_view(shape.spec).starts_with("mesh") || routed == cases)
        << shape.spec << ": " << routed;
  }
}

TEST(TorusMulticast, HasNoCycleWithUnicastAroundRandomFailures) {
  for (const MulticastShape& shape : kMulticastShapes) {
    const Fabric fabric = fabric_of(shape.spec);
    const TorusConfig config = config_of(shape);
    Rng rng(5);
    unsigned routed = 0;
    const unsigned rounds = at_full_size() ? 60 : std::min(60u, 1500 / fabric.switch_count());
    for (unsigned round = 0; round < rounds; ++round) {
      std::vector<SwitchId> switches;
      std::vector<ChannelId> cables;
      const auto first = static_cast<std::uint32_t>(rng.below(fabric.switch_count()));
      if (rng.chance(0.5)) switches.push_back(SwitchId(first));
      for (std::uint64_t i = rng.below(4); i-- > 0;)
        cables.push_back(ChannelId(static_cast<std::uint32_t>(rng.below(fabric.channel_count()))));
      routed += expect_torus_verified(without(fabric, switches, cables), {.torus = config},
                                      fmt::format("{} round {}", shape.spec, round));
    }
    EXPECT_GT(routed, 3u) << shape.spec;
  }
}

TEST(TorusMulticast, NotesListMissingCablesAndTooFewVls) {
  const Fabric fabric = fabric_of("torus:6x5,hosts=1");
  TorusConfig config = torus_config("torus 6 5 1", {6, 5, 1}, {{0, 0, 0}, {3, 2, 0}, {1, 4, 0}});
  const auto notes = [&](const Fabric& of, unsigned lanes = 8) {
    const auto routes =
        run_engine(*find_engine("torus-2QoS"), of, {.vls_max = lanes, .torus = config});
    EXPECT_TRUE(routes) << routes.error().message;
    return routes ? routes->notes : std::vector<std::string>{};
  };
  EXPECT_THAT(notes(fabric), IsEmpty());
  EXPECT_THAT(notes(fabric, 4), ElementsAre(HasSubstr("4 virtual lanes, for one level of QoS")));
  const Fabric cut = without(fabric, {}, {ChannelId(0), ChannelId(40)});
  EXPECT_THAT(notes(cut), ElementsAre(HasSubstr("the torus is incomplete: no cable from"),
                                      HasSubstr("the torus is incomplete: no cable from")));
  config.max_changes = 1;
  EXPECT_THAT(
      notes(cut),
      ElementsAre(
          HasSubstr("no cable from"),
          HasSubstr("lacks 2 switches and cables, not all of which are listed: max_changes")));
  config.max_changes = 0;
  EXPECT_EQ(notes(cut).size(), 1u);
}

}  // namespace
}  // namespace weft
