// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive-routing groups have the right ports and respect their limits, and no selection of ports
// causes a loop, a deadlock or a lost packet.

#include "routing/adaptive/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/check.h"
#include "base/rng.h"
#include "fabric/generators/spec.h"
#include "routing/adaptive/engines.h"
#include "routing/adaptive/turns_up.h"
#include "routing/engine.h"
#include "routing/shapes/ranks.h"
#include "support/fabrics.h"
#include "support/spec_name.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

Routes adaptive_routes(std::string_view engine, const Fabric& fabric,
                       const RoutingOptions& options = {}) {
  auto routes = run_engine(*find_engine(engine), fabric, options);
  CHECK(routes.has_value());
  return std::move(*routes);
}

std::size_t group_size(const Routes& routes, std::uint32_t sw, Lid lid) {
  const PortMask* group = routes.adaptive->group_of(SwitchId(sw), lid);
  return group == nullptr ? 0 : group->count();
}

Lid lid_of_host(const Fabric& fabric, std::uint32_t sw) {
  return fabric.endport(fabric.endports_at(SwitchId(sw))[0]).lid;
}

TEST(Adaptive, TreeGroupsHaveAllUpPortsAndTheDownPortsToOneLeaf) {
  const Fabric fabric = doubled_tree();
  for (const char* engine : {"ar_updn", "ar_ftree"}) {
    const Routes routes = adaptive_routes(engine, fabric);
    EXPECT_EQ(routes.engine, engine);
    const Lid far = lid_of_host(fabric, 1);
    EXPECT_EQ(group_size(routes, 0, far), 4u) << engine;
    EXPECT_EQ(group_size(routes, 2, far), 2u) << engine;
    EXPECT_EQ(group_size(routes, 1, far), 0u) << "no group for a host on the same switch";
    const ArCount counted = count(*routes.adaptive);
    EXPECT_EQ(counted.switches, 4u);
    EXPECT_EQ(counted.groups_max, 3u) << "groups for hosts and for the LID of each spine";
    EXPECT_TRUE(verify(fabric, routes).ok());
  }
}

/// Spines that lost a cable reach the leaf at the other end over a hub. The entries of the hub are
/// adaptive like those of every other leaf.
TEST(Adaptive, TreeGroupsOfADamagedTreeIncludeTheHubOfItsSpines) {
  for (const auto* spec :
       {"fattree2:k=16,fail=20", "fattree3:k=8,fail=30", "xgft:m=4x4,w=1x4,fail=3"}) {
    const Fabric fabric = fabric_of(spec);
    const Routes routes = adaptive_routes("ar_updn", fabric);
    std::size_t fewest = fabric.lid_top().value(), most = 0;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (fabric.endports_at(SwitchId(s)).empty()) continue;
      std::size_t groups = 0;
      for (const EndportId host : fabric.hosts())
        groups += group_size(routes, s, fabric.endport(host).lid) > 0 ? 1 : 0;
      fewest = std::min(fewest, groups);
      most = std::max(most, groups);
    }
    EXPECT_GT(fewest, most * 7 / 10) << spec;
    const Verdict verdict = verify(fabric, routes);
    EXPECT_TRUE(verdict.ok()) << spec << describe_cycle(fabric, verdict.credit_loop);
    EXPECT_TRUE(verdict.switch_credit_loop.empty()) << spec;
  }
}

//     A   B     Packets that turn up at X and at Y close the cycle A-X, X-B, B-Y, Y-A.
//     |\ /|     With one of the turns there is no cycle.
//     | X |
//     |/ \|
//     X   Y
TEST(Adaptive, TurnsFromDownToUpAtTwoSwitchesCanCloseACycle) {
  const Fabric fabric = Tiny(4, 4).link(0, 2).link(0, 3).link(1, 2).link(1, 3).build();
  const std::vector<std::uint16_t> rank{0, 0, 1, 1};
  std::vector<std::uint8_t> up, turns_up(fabric.channel_count(), 0);
  for (const Channel& channel : fabric.channels()) up.push_back(goes_up(channel, rank) ? 1 : 0);
  const auto allow_turn = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t c = 0; c < fabric.channel_count(); ++c)
      if (fabric.channel(ChannelId(c)).from == SwitchId(from) &&
          fabric.channel(ChannelId(c)).to == SwitchId(to))
        turns_up[c] = 1;
  };
  EXPECT_TRUE(all_turns_are_acyclic(fabric, up, turns_up));
  allow_turn(0, 2);
  EXPECT_TRUE(all_turns_are_acyclic(fabric, up, turns_up));
  allow_turn(1, 3);
  EXPECT_FALSE(all_turns_are_acyclic(fabric, up, turns_up));
}

TEST(Adaptive, LagGroupsHaveTheCablesToOneNeighborForAnyEngine) {
  const Fabric fabric = doubled_tree();
  for (const char* engine : {"updn", "ftree", "minhop", "nue", "ar_updn"}) {
    RoutingOptions options;
    options.adaptive = AdaptiveOptions{.algorithm = ArAlgorithm::kLag};
    const Routes routes = adaptive_routes(engine, fabric, options);
    EXPECT_EQ(routes.engine, engine);
    EXPECT_EQ(group_size(routes, 0, lid_of_host(fabric, 1)), 2u) << engine;
    EXPECT_TRUE(verify(fabric, routes).ok()) << engine;
  }
}

TEST(Adaptive, TreeIsLagWithANoteForAnEngineWithoutUpDownPaths) {
  RoutingOptions options;
  options.adaptive.emplace().algorithm = ArAlgorithm::kTree;
  const Routes routes = adaptive_routes("minhop", doubled_tree(), options);
  ASSERT_FALSE(routes.notes.empty());
  EXPECT_NE(routes.notes.back().find("by LAG"), std::string::npos);
  options.adaptive->algorithm = ArAlgorithm::kLag;
  EXPECT_EQ(routes.adaptive, adaptive_routes("minhop", doubled_tree(), options).adaptive);
}

TEST(Adaptive, DisabledKeepsThePlainRoutes) {
  const Fabric fabric = doubled_tree();
  RoutingOptions options;
  options.adaptive.emplace().enabled = false;
  const Routes off = adaptive_routes("ar_updn", fabric, options);
  EXPECT_FALSE(off.adaptive);
  EXPECT_EQ(off.lfts, adaptive_routes("updn", fabric).lfts);
}

TEST(Adaptive, KeepsTheGroupsOfMostLidsIfTheCapacityIsExceeded) {
  const Fabric fabric = doubled_tree();
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{.mode = ArState::kFree, .group_capacity = {1, 0, 8, 8}};
  const Routes routes = adaptive_routes("ar_updn", fabric, options);
  EXPECT_EQ(group_size(routes, 0, lid_of_host(fabric, 1)), 4u) << "three LIDs use this group";
  EXPECT_EQ(group_size(routes, 0, fabric.endport(EndportId(2)).lid), 0u)
      << "a group for one LID is left out";
  EXPECT_FALSE(routes.adaptive->is_set(SwitchId(1)));
  EXPECT_EQ(routes.adaptive->entry(SwitchId(0), lid_of_host(fabric, 1)).state, ArState::kFree);
  ASSERT_FALSE(routes.notes.empty());
  EXPECT_NE(routes.notes.back().find("1 of 3"), std::string::npos) << routes.notes.back();
  EXPECT_TRUE(verify(fabric, routes).ok());
}

TEST(Adaptive, GroupsExcludeCablesOfGreaterWeight) {
  const Fabric fabric = doubled_tree();
  RoutingOptions options;
  options.hop_weights.assign(fabric.channel_count(), 1);
  const Lid far = lid_of_host(fabric, 1);
  const PortNum heavy = fabric.channels_from(SwitchId(0))[0].from_port;
  options.hop_weights[0] = 5;
  const Routes routes = adaptive_routes("ar_updn", fabric, options);
  ASSERT_EQ(group_size(routes, 0, far), 3u);
  EXPECT_FALSE(routes.adaptive->group_of(SwitchId(0), far)->test(heavy.value()));
}

class AdaptiveEngines : public testing::TestWithParam<const char*> {
 protected:
  /// Calls body(fabric, place) for the fabric of the spec, without damage and with random damage,
  /// with LMC 0 and 1; `place` describes the fabric.
  template <class Body>
  void for_each_fabric(const Body& body) {
    const std::string spec = GetParam();
    std::vector<std::string> specs{spec};
    if (spec.find("fail=") == std::string::npos)
      for (const char* damage : {",fail=1,connected=0,seed=1", ",fail=2,connected=0,seed=2"})
        if (spec.find("seed=") == std::string::npos && generate(spec + damage))
          specs.push_back(spec + damage);
    for (const std::string& one : specs) {
      for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}})
        body(fabric_of(one, lmc), one + " lmc " + std::to_string(lmc));
      if (HasFailure()) return;
    }
  }
};

/// Follows a path with a random selection at every hop. The verifier covers all selections.
std::size_t random_walk(const Fabric& fabric, const Routes& routes, SwitchId from,
                        const Endport& to, Lid lid, Rng& rng) {
  SwitchId at = from;
  for (std::size_t hops = 0; hops <= fabric.switch_count(); ++hops) {
    std::vector<PortNum> choices;
    for_each_choice(routes.lfts, routes.adaptive ? &*routes.adaptive : nullptr, at, lid,
                    [&](PortNum port) { choices.push_back(port); });
    const PortNum port = choices[rng.below(choices.size())];
    if (at == to.sw && port == to.sw_port) return hops;
    const ChannelId channel = port == kNoRoute ? kNoChannel : fabric.channel_at(at, port);
    if (channel == kNoChannel) break;
    at = fabric.channel(channel).to;
  }
  return fabric.switch_count() + std::size_t{1};
}

TEST_P(AdaptiveEngines, ReachTheLidsOfThePlainEngineWithoutDeadlockForAnySelection) {
  for_each_fabric([&](const Fabric& fabric, const std::string& place) {
    for (const char* name : {"ar_updn", "ar_ftree", "ar_dor"}) {
      const auto routes = run_engine(*find_engine(name), fabric, {});
      const auto plain = run_engine(*find_engine(plain_engine(name)), fabric, {});
      ASSERT_EQ(routes.has_value(), plain.has_value()) << name << ' ' << place;
      if (!routes) continue;
      const auto alone = find_engine(name)->run(fabric, {});
      const auto plain_alone = find_engine(plain_engine(name))->run(fabric, {});
      ASSERT_EQ(alone->lfts, plain_alone->lfts) << name << ' ' << place;
      const Verdict verdict = verify(fabric, *routes);
      const Verdict without = verify(fabric, *plain);
      ASSERT_EQ(verdict.ca_to_ca.arrived, without.ca_to_ca.arrived) << name << ' ' << place;
      ASSERT_EQ(verdict.switch_to_ca.arrived, without.switch_to_ca.arrived) << name << ' ' << place;
      ASSERT_EQ(verdict.loops, without.loops) << name << ' ' << place;
      ASSERT_EQ(verdict.has_credit_loop(), without.has_credit_loop())
          << name << ' ' << place << '\n'
          << describe_cycle(fabric, verdict.credit_loop);
      ASSERT_EQ(verdict.switch_credit_loop.empty(), without.switch_credit_loop.empty())
          << name << ' ' << place;
      ASSERT_GE(verdict.dependencies, without.dependencies) << name << ' ' << place;
      Rng rng(7);
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
          const auto path = walk(fabric, plain->lfts, s, to, lid);
          if (!path) continue;
          ASSERT_EQ(random_walk(fabric, *routes, SwitchId(s), to, lid, rng), path->size() - 1)
              << name << ' ' << place << " from switch " << s << " to LID " << lid.value();
        }
      });
    }
  });
}

TEST_P(AdaptiveEngines, GroupsAreDistinctBoundedAndContainThePortOfTheTable) {
  for_each_fabric([&](const Fabric& fabric, const std::string& place) {
    RoutingOptions options;
    Rng rng(3);
    options.adaptive = AdaptiveOptions{};
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      options.adaptive->group_capacity.push_back(static_cast<std::uint16_t>(rng.below(5)));
    const Routes routes = adaptive_routes("ar_updn", fabric, options);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const SwitchId sw(s);
      const auto groups = routes.adaptive->groups(sw);
      ASSERT_LE(groups.size(), options.adaptive->group_capacity[s]) << place;
      std::set<std::string> different;
      for (const PortMask& group : groups) {
        ASSERT_GE(group.count(), 2u) << place;
        ASSERT_TRUE(different.insert(group.to_string()).second) << place;
      }
      for_each_lid(fabric, [&](const Endport&, Lid lid) {
        const PortMask* group = routes.adaptive->group_of(sw, lid);
        ASSERT_TRUE(group == nullptr || group->test(routes.lfts.port(sw, lid).value())) << place;
      });
    }
    ASSERT_FALSE(verify(fabric, routes).has_credit_loop()) << place;
  });
}

TEST_P(AdaptiveEngines, GiveEqualRoutesForAnyNumberOfThreads) {
  for_each_fabric([&](const Fabric& fabric, const std::string& place) {
    RoutingOptions options{.threads = 1};
    options.adaptive = AdaptiveOptions{};
    for (const char* name : {"updn", "minhop"}) {
      const Routes one = adaptive_routes(name, fabric, options);
      for (const unsigned threads : {2u, 8u}) {
        options.threads = threads;
        ASSERT_EQ(adaptive_routes(name, fabric, options), one) << name << ' ' << place;
      }
      options.threads = 1;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Small, AdaptiveEngines, testing::ValuesIn(kSmallSpecs), spec_name);

}  // namespace
}  // namespace weft
