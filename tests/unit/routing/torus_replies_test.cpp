// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// torus-2QoS uses one SL for both directions of every connection, on tori with and without damage.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/check.h"
#include "base/rng.h"
#include "routing/engine.h"
#include "routing/torus_2qos/ring.h"
#include "routing/torus_2qos/torus_2qos.h"
#include "support/groups.h"
#include "support/replies.h"
#include "support/torus_fabrics.h"
#include "verify/verify.h"

namespace weft {
namespace {

using Radix = std::array<unsigned, 3>;

struct ReplyShape {
  const char* spec;
  const char* text;
  Radix radix;
};

const ReplyShape kReplyShapes[] = {{"torus:4x4,hosts=1", "torus 4 4 1", {4, 4, 1}},
                                   {"torus:6x5,hosts=2", "torus 6 5 1", {6, 5, 1}},
                                   {"torus:5x8,hosts=1", "torus 5 8 1", {5, 8, 1}},
                                   {"torus:12x3,hosts=1", "torus 12 3 1", {12, 3, 1}},
                                   {"torus:4x4x4,hosts=1", "torus 4 4 4", {4, 4, 4}},
                                   {"torus:3x4x6,hosts=1", "torus 3 4 6", {3, 4, 6}},
                                   {"torus:4x5x3,hosts=1,trunks=2", "torus 4 5 3", {4, 5, 3}},
                                   {"torus:3x6x4,hosts=1", "torus 3 6 4", {3, 6, 4}}};

TorusConfig config_of(const ReplyShape& shape) {
  const auto& r = shape.radix;
  return torus_config(shape.text, r,
                      {{0, 0, 0},
                       {r[0] / 2, r[1] / 2, r[2] / 2},
                       {r[0] - 1, 1, r[2] / 3},
                       {1, r[1] - 1, r[2] - 1}});
}

SwitchId switch_at(const Fabric& fabric, const Radix& radix, const Radix& at) {
  const auto node = fabric.find_node(torus_guid(radix, at));
  CHECK(node.has_value());
  return SwitchId(node->value());
}

/// Expects that each reply may use the SL of its request. Returns false if the engine refuses the
/// fabric.
bool expect_replies_verified(const Fabric& fabric, const TorusConfig& config,
                             const std::string& replay) {
  const auto groups = some_groups(fabric, 3);
  const auto routes =
      run_engine(*find_engine("torus-2QoS"), fabric, {.torus = config, .groups = groups});
  if (!routes) return false;
  EXPECT_EQ(pairs_with_another_sl_back(fabric, *routes), 0u) << replay;
  const Verdict verdict = verify(fabric, *routes, {.groups = groups});
  EXPECT_TRUE(verdict.ok()) << replay << '\n' << describe_cycle(fabric, verdict.credit_loop);
  EXPECT_TRUE(verdict.switch_credit_loop.empty())
      << replay << '\n'
      << describe_cycle(fabric, verdict.switch_credit_loop);
  EXPECT_TRUE(verdict.ca_to_switch.all() && verdict.switch_to_ca.all()) << replay;
  EXPECT_TRUE(verdict.multicast_ok()) << replay << '\n'
                                      << describe_cycle(fabric, verdict.multicast_credit_loop);
  return true;
}

/// The given switch and all switches that differ from it in the given dimensions only.
std::vector<SwitchId> section(const Fabric& fabric, const ReplyShape& shape,
                              const std::vector<unsigned>& dimensions, const Radix& at) {
  std::vector<SwitchId> switches;
  Radix to{};
  const auto inside = [&](unsigned d) {
    return to[d] == at[d] || std::ranges::count(dimensions, d) > 0;
  };
  for (to[0] = 0; to[0] < shape.radix[0]; ++to[0])
    for (to[1] = 0; to[1] < shape.radix[1]; ++to[1])
      for (to[2] = 0; to[2] < shape.radix[2]; ++to[2])
        if (inside(0) && inside(1) && inside(2))
          switches.push_back(switch_at(fabric, shape.radix, to));
  return switches;
}

TEST(TorusRing, PathsAreShortestAndBothDirectionsHaveOneVl) {
  for (unsigned radix = 3; radix <= 17; ++radix)
    for (unsigned from = 0; from < radix; ++from)
      for (unsigned to = 0; to < radix; ++to) {
        if (from == to) continue;
        const RingPath path = ring_path(radix, false, from, to);
        EXPECT_EQ(path.upper_lane, ring_path(radix, false, to, from).upper_lane);
        const unsigned up = (to + radix - from) % radix;
        EXPECT_TRUE(path.ring_direction == RingDirection::kDown || 2 * up <= radix);
        EXPECT_TRUE(path.ring_direction == RingDirection::kUp || 2 * up >= radix);
      }
}

/// For each VL and direction there is a switch that no path passes through.
TEST(TorusRing, EachVlAndDirectionHasASwitchWithoutTransitPaths) {
  for (unsigned radix = 3; radix <= 17; ++radix)
    for (const bool upper : {false, true})
      for (const Direction direction : {kUp, kDown}) {
        std::vector<bool> passed(radix, false);
        for (unsigned from = 0; from < radix; ++from)
          for (unsigned to = 0; to < radix; ++to) {
            if (from == to) continue;
            const RingPath path = ring_path(radix, false, from, to);
            if (path.upper_lane != upper) continue;
            if (path.ring_direction ==
                (direction == kUp ? RingDirection::kDown : RingDirection::kUp))
              continue;
            const unsigned step = direction == kUp ? 1 : radix - 1;
            for (unsigned at = (from + step) % radix; at != to; at = (at + step) % radix)
              passed[at] = true;
          }
        EXPECT_GT(std::ranges::count(passed, false), 0)
            << "radix " << radix << " lane " << upper << " direction " << int{direction};
      }
}

TEST(TorusRing, LoadsBothDirectionsEquallyForRadixFourAndEight) {
  for (const unsigned radix : {4u, 8u}) {
    std::vector<unsigned> load(std::size_t{2} * radix, 0);
    for (unsigned from = 0; from < radix; ++from)
      for (unsigned to = 0; to < radix; ++to) {
        if (from == to) continue;
        const bool up = ring_path(radix, false, from, to).ring_direction == RingDirection::kUp;
        for (unsigned at = from; at != to; at = (at + (up ? 1 : radix - 1)) % radix)
          ++load[2 * at + (up ? 0 : 1)];
      }
    for (const unsigned one : load) EXPECT_EQ(one, radix * radix / 8) << radix;
  }
}

TEST(TorusReplies, HaveTheSlOfTheRequestOnWholeTori) {
  for (const ReplyShape& shape : kReplyShapes)
    EXPECT_TRUE(expect_replies_verified(fabric_of(shape.spec), config_of(shape), shape.spec));
  // With two LIDs per port, replies may be sent to either LID.
  EXPECT_TRUE(expect_replies_verified(fabric_of(kReplyShapes[1].spec, 1),
                                      config_of(kReplyShapes[1]), "lmc 1"));
}

TEST(TorusReplies, HaveTheSlOfTheRequestOnDamagedTori) {
  for (const ReplyShape& shape : kReplyShapes) {
    unsigned routed = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
      const std::string spec =
          fmt::format("{},dead={},fail={},seed={}", shape.spec, seed % 3, seed % 5, seed);
      routed += expect_replies_verified(fabric_of(spec), config_of(shape), spec);
    }
    EXPECT_GE(routed, 3u) << shape.spec;
  }
}

TEST(TorusReplies, HaveTheSlOfTheRequestWithMissingNeighborsInTheLastDimension) {
  for (const ReplyShape& shape : kReplyShapes) {
    const Fabric fabric = fabric_of(shape.spec);
    const unsigned last = shape.radix[2] > 1 ? 2 : 1;
    unsigned routed = 0;
    Rng rng(7);
    for (unsigned round = 0; round < 8; ++round) {
      Radix at{};
      for (unsigned d = 0; d < 3; ++d) at[d] = static_cast<unsigned>(rng.below(shape.radix[d]));
      std::vector<SwitchId> missing;
      for (std::uint64_t i = 1 + rng.below(shape.radix[last] - 1); i-- > 0; ++at[last])
        missing.push_back(switch_at(fabric, shape.radix, at));
      std::vector<ChannelId> cables;
      if (round % 2 != 0)
        cables.push_back(ChannelId(static_cast<std::uint32_t>(rng.below(fabric.channel_count()))));
      routed += expect_replies_verified(without(fabric, missing, cables), config_of(shape),
                                        fmt::format("{} round {}", shape.spec, round));
    }
    EXPECT_GE(routed, 4u) << shape.spec;
  }
}

/// Removes a column in each dimension and a plane on tori of three dimensions.
TEST(TorusReplies, HaveTheSlOfTheRequestIfAColumnOrPlaneIsMissing) {
  for (const ReplyShape& shape : kReplyShapes) {
    const Fabric fabric = fabric_of(shape.spec);
    const bool has_three_dimensions = shape.radix[2] > 1;
    const auto expect_verified_without = [&](const std::vector<unsigned>& dimensions) {
      for (const Radix& at : {Radix{0, 0, 0}, Radix{1, 2, 2}}) {
        Radix inside = at;
        for (unsigned d = 0; d < 3; ++d) inside[d] %= shape.radix[d];
        const std::string replay = fmt::format(
            "{} without {} dimensions from {} through {},{},{}", shape.spec, dimensions.size(),
            kDimensionNames[dimensions[0]], inside[0], inside[1], inside[2]);
        EXPECT_TRUE(expect_replies_verified(
            without(fabric, section(fabric, shape, dimensions, inside)), config_of(shape), replay))
            << replay;
      }
    };
    for (unsigned d = 0; d < (has_three_dimensions ? 3u : 2u); ++d) {
      expect_verified_without({d});
      if (has_three_dimensions) expect_verified_without({d, (d + 1) % 3});
    }
  }
}

}  // namespace
}  // namespace weft
