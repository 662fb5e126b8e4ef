// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// On trees without some cables the groups are divided into two sub-groups, with weights that follow
// the capacity of the paths to the destination.
#include "routing/adaptive/group_divisions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "congestion/flow_walk.h"
#include "congestion/quality/load_bound.h"
#include "routing/divisions/flow_shares.h"
#include "routing/divisions/flow_splits.h"
#include "routing/divisions/leaf_divisions.h"
#include "routing/engine.h"
#include "support/fabric_of.h"
#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

//     S3   S4      four hosts on each leaf S0, S1, S2; two cables to each spine,
//     leaves       but one cable between S2 and S4
Fabric uneven_tree() {
  Tiny tree(5, 16);
  for (unsigned leaf = 0; leaf < 3; ++leaf)
    tree.link(leaf, 3, 2).link(leaf, 4, leaf == 2 ? 1 : 2).hosts(leaf, 4);
  return tree.build();
}

Routes divided_routes(const Fabric& fabric, AsymmetricFlow where,
                      const AdaptiveOptions& options = {}, unsigned threads = 1) {
  RoutingOptions all;
  all.threads = threads;
  all.adaptive = options;
  all.adaptive->asymmetric = where;
  auto routes = run_engine(*find_engine("ar_updn"), fabric, all);
  CHECK(routes.has_value());
  return std::move(*routes);
}

Lid lid_at(const Fabric& fabric, std::uint32_t sw) {
  return fabric.endport(fabric.endports_at(SwitchId(sw))[0]).lid;
}

/// The division of the group for the first host of a leaf.
GroupDivision division_at(const Fabric& fabric, const Routes& routes, std::uint32_t sw,
                          std::uint32_t leaf) {
  const auto divisions = routes.adaptive->divisions(SwitchId(sw));
  return divisions.empty()
             ? GroupDivision{}
             : divisions[routes.adaptive->entry(SwitchId(sw), lid_at(fabric, leaf)).group];
}

std::size_t divided_groups(const Routes& routes) {
  std::size_t count = 0;
  for (std::uint32_t s = 0; s < routes.adaptive->switch_count(); ++s)
    for (const GroupDivision& division : routes.adaptive->divisions(SwitchId(s)))
      count += division.second.any() ? 1 : 0;
  return count;
}

/// The loads of the channels between switches with all messages from each host to each other host,
/// the highest first.
std::vector<Ticks> all_to_all(const Fabric& fabric, const Routes& routes, bool greedily) {
  const auto network = network_of(fabric, routes.lfts, &*routes.adaptive);
  CHECK(network.has_value());
  std::vector<Message> messages;
  for (std::uint32_t from = 0; from < network->host_count(); ++from)
    for (std::uint32_t to = 0; to < network->host_count(); ++to)
      if (from != to) messages.push_back({from, to});
  const ChannelCosts costs;
  FlowWalk walk(*network, costs);
  Rng rng(1);
  if (greedily)
    walk.walk_greedily(messages, rng);
  else
    walk.walk_evenly(messages);
  CHECK(walk.failed().empty());
  std::vector<Ticks> loads;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (std::size_t i = 0; i < network->channels_from(s).size(); ++i) {
      const auto channel = network->first_channel(s) + static_cast<std::uint32_t>(i);
      if (network->channel_heads()[channel] < fabric.switch_count())
        loads.push_back(walk.load(channel));
    }
  std::ranges::sort(loads, std::ranges::greater{});
  return loads;
}

TEST(FlowShares, DivideTheCapacityOfASwitchAmongIncomingLinks) {
  const Fabric fabric = uneven_tree();
  const Routes routes = divided_routes(fabric, AsymmetricFlow::kOff);
  const std::vector<std::uint32_t> rates(fabric.channel_count(), 8);
  const std::array lids{lid_at(fabric, 2)};
  const auto order = choice_order(fabric, routes, SwitchId(2), lids);
  ASSERT_TRUE(order.has_value());
  std::vector<double> share(fabric.channel_count(), 0);
  flow_shares(fabric, rates, *order, SwitchId(2), share);
  const auto of = [&](std::uint32_t from, std::uint32_t to) {
    for (const Channel& channel : fabric.channels_from(SwitchId(from)))
      if (channel.to == SwitchId(to))
        return share[fabric.channel_at(SwitchId(from), channel.from_port).value()];
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(of(3, 2), 8);
  EXPECT_DOUBLE_EQ(of(0, 3), 4) << "two cables to the leaf, four from other leaves";
  EXPECT_DOUBLE_EQ(of(0, 4), 2) << "one cable to the leaf";
  for (const ChoiceOrder::Step& step : order->steps)
    EXPECT_NE(step.sw, SwitchId(2)) << "the destination itself";
}

TEST(GroupDivisions, SecondSubGroupHasThePortsWithLessCapacity) {
  const Fabric fabric = uneven_tree();
  const Routes routes = divided_routes(fabric, AsymmetricFlow::kAll);
  PortMask expected;
  for (const Channel& channel : fabric.channels_from(SwitchId(0)))
    if (channel.to == SwitchId(4)) expected.set(channel.from_port.value());
  EXPECT_EQ(division_at(fabric, routes, 0, 2), (GroupDivision{expected, 43, 21}))
      << "weights of 2 to 1 with a sum of 64";
  EXPECT_EQ(division_at(fabric, routes, 3, 2), GroupDivision{}) << "both cables are equal";
  const Routes plain = divided_routes(fabric, AsymmetricFlow::kOff);
  EXPECT_EQ(divided_groups(plain), 0u);
  EXPECT_EQ(plain.lfts, routes.lfts);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (unsigned l = 1; l <= fabric.lid_top().value(); ++l) {
      const Lid lid(static_cast<std::uint16_t>(l));
      const PortMask* before = plain.adaptive->group_of(SwitchId(s), lid);
      const PortMask* after = routes.adaptive->group_of(SwitchId(s), lid);
      ASSERT_EQ(before == nullptr, after == nullptr);
      if (before != nullptr) {
        EXPECT_EQ(*before, *after);
      }
    }
  EXPECT_TRUE(verify(fabric, routes).ok());
}

TEST(GroupDivisions, AreAbsentOnTreesWithoutMissingCables) {
  for (const char* spec : {"fattree3:k=4", "fattree2:k=8,trunks=2", "xgft:m=2x3x2,w=1x2x2"})
    EXPECT_EQ(divided_groups(divided_routes(fabric_of(spec), AsymmetricFlow::kAll)), 0u) << spec;
}

TEST(GroupDivisions, AreRestrictedToLeavesAndToCapableSwitches) {
  const Fabric fabric = fabric_of("fattree3:k=8,fail=12,seed=3");
  const auto divided = [&](const Routes& routes, bool leaves) {
    std::size_t count = 0;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (fabric.endports_at(SwitchId(s)).empty() != leaves)
        count += routes.adaptive->divisions(SwitchId(s)).empty() ? 0 : 1;
    return count;
  };
  const Routes all = divided_routes(fabric, AsymmetricFlow::kAll);
  EXPECT_GT(divided(all, true), 0u);
  EXPECT_GT(divided(all, false), 0u);
  const Routes leaves = divided_routes(fabric, AsymmetricFlow::kLeaves);
  EXPECT_GT(divided(leaves, true), 0u);
  EXPECT_EQ(divided(leaves, false), 0u);
  AdaptiveOptions none;
  none.divides.assign(fabric.switch_count(), 0);
  EXPECT_EQ(divided_groups(divided_routes(fabric, AsymmetricFlow::kAll, none)), 0u);
  EXPECT_EQ(divided_routes(fabric, AsymmetricFlow::kAll, {}, 4), all)
      << "equal for any number of threads";
  EXPECT_TRUE(verify(fabric, all).ok());
}

TEST(GroupDivisions, AreLeftOutOnSwitchesWithTooFewGroups) {
  const Fabric fabric = uneven_tree();
  const Routes all = divided_routes(fabric, AsymmetricFlow::kAll);
  AdaptiveOptions few;
  few.group_capacity.assign(fabric.switch_count(), kArGroupsMax);
  few.group_capacity[0] = static_cast<std::uint16_t>(
      divided_routes(fabric, AsymmetricFlow::kOff).adaptive->groups(SwitchId(0)).size());
  ASSERT_GT(all.adaptive->groups(SwitchId(0)).size(), few.group_capacity[0]);
  const Routes routes = divided_routes(fabric, AsymmetricFlow::kAll, few);
  EXPECT_TRUE(routes.adaptive->divisions(SwitchId(0)).empty());
  EXPECT_FALSE(routes.adaptive->divisions(SwitchId(1)).empty());
  ASSERT_EQ(routes.notes.size(), 1u);
  EXPECT_NE(routes.notes[0].find("the groups of 1 switches are not divided"), std::string::npos);
}

/// The divisions of all other switches equal those for a fabric in which this switch divides
/// nothing.
TEST(GroupDivisions, OfOtherSwitchesFollowFromThoseThatAreLeftOut) {
  const Fabric fabric = fabric_of("fattree3:k=8,fail=30,seed=4");
  const Routes all = divided_routes(fabric, AsymmetricFlow::kAll);
  const Routes none = divided_routes(fabric, AsymmetricFlow::kOff);
  SwitchId full = kNoSwitch;
  for (std::uint32_t s = 0; s < fabric.switch_count() && full == kNoSwitch; ++s)
    if (all.adaptive->groups(SwitchId(s)).size() > none.adaptive->groups(SwitchId(s)).size())
      full = SwitchId(s);
  ASSERT_NE(full, kNoSwitch);
  AdaptiveOptions few;
  few.group_capacity.assign(fabric.switch_count(), kArGroupsMax);
  few.group_capacity[full.value()] = static_cast<std::uint16_t>(none.adaptive->groups(full).size());
  AdaptiveOptions incapable;
  incapable.divides.assign(fabric.switch_count(), 1);
  incapable.divides[full.value()] = 0;
  const Routes routes = divided_routes(fabric, AsymmetricFlow::kAll, few);
  EXPECT_TRUE(routes.adaptive->divisions(full).empty());
  EXPECT_EQ(*routes.adaptive, *divided_routes(fabric, AsymmetricFlow::kAll, incapable).adaptive);
  bool has_other_weights = false;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    has_other_weights =
        has_other_weights ||
        (SwitchId(s) != full && !std::ranges::equal(routes.adaptive->divisions(SwitchId(s)),
                                                    all.adaptive->divisions(SwitchId(s))));
  EXPECT_TRUE(has_other_weights);
}

TEST(GroupDivisions, ReduceTheCongestionOfAllToAll) {
  const Fabric fabric = uneven_tree();
  const Routes before = divided_routes(fabric, AsymmetricFlow::kOff);
  const Routes after = divided_routes(fabric, AsymmetricFlow::kAll);
  constexpr Ticks kMessage = FlowWalk::kSplitParts;
  EXPECT_EQ(all_to_all(fabric, before, false)[0], 16 * kMessage)
      << "half of 32 messages on one cable";
  EXPECT_LT(all_to_all(fabric, after, false)[0], 11 * kMessage) << "about a third of 32 messages";
  EXPECT_LT(all_to_all(fabric, after, true)[0], all_to_all(fabric, before, true)[0])
      << "with greedy selection of ports";
  const Fabric damaged = fabric_of("fattree3:k=8,fail=12,seed=3");
  const Routes plain = divided_routes(damaged, AsymmetricFlow::kOff);
  const Routes divided = divided_routes(damaged, AsymmetricFlow::kAll);
  EXPECT_LT(all_to_all(damaged, divided, false)[0], all_to_all(damaged, plain, false)[0]);
}

/// The choices toward each leaf of a fabric.
struct Traffic {
  explicit Traffic(const char* spec, const AdaptiveOptions& options = {})
      : fabric(fabric_of(spec)), routes(divided_routes(fabric, AsymmetricFlow::kOff, options)) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      std::vector<Lid> lids;
      for (const EndportId id : fabric.endports_at(SwitchId(s)))
        if (!fabric.is_switch(fabric.endport(id).node)) lids.push_back(fabric.endport(id).lid);
      if (lids.empty()) continue;
      auto order = choice_order(fabric, routes, SwitchId(s), lids);
      CHECK(order.has_value());
      leaves.push_back({SwitchId(s), lids[0], std::move(*order)});
    }
  }
  Fabric fabric;
  Routes routes;
  std::vector<LeafChoices> leaves;
};

TEST(ChoiceOrder, NextHopsPrecedeASwitchAndStaticEntriesCountLids) {
  AdaptiveOptions few_groups;
  few_groups.group_capacity.assign(80, 2);
  const Traffic traffic("fattree3:k=8,fail=30,seed=4", few_groups);
  std::size_t groups = 0, counted = 0;
  for (const LeafChoices& to : traffic.leaves) {
    std::vector<bool> before(traffic.fabric.switch_count(), false);
    before[to.leaf.value()] = true;
    for (const ChoiceOrder::Step& step : to.order.steps) {
      std::uint32_t lids = 0;
      for (std::uint32_t i = step.begin; i < step.end; ++i) {
        EXPECT_TRUE(before[traffic.fabric.channel(to.order.channels[i]).to.value()]);
        lids += to.order.lid_counts[i];
      }
      before[step.sw.value()] = true;
      const PortMask* group = traffic.routes.adaptive->group_of(step.sw, to.lid);
      EXPECT_EQ(step.is_group, group != nullptr);
      EXPECT_EQ(lids, group != nullptr ? group->count() : 4u) << "four hosts on each leaf";
      groups += step.is_group ? 1 : 0;
      counted += !step.is_group && step.end - step.begin > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(groups, 100u);
  EXPECT_GT(counted, 0u) << "static entries with other ports for other hosts of a leaf";
}

TEST(FlowSplits, LargestLoadIsNearTheBoundForShortestPaths) {
  for (const char* spec : {"fattree3:k=8,fail=12,seed=3", "fattree3:k=8,fail=30,seed=4"}) {
    const Traffic traffic(spec);
    const std::vector<std::uint32_t> rates(traffic.fabric.channel_count(), 1);
    const std::vector<bool> divides(traffic.fabric.switch_count(), true);
    FlowSplits splits(traffic.fabric, rates, divides, traffic.leaves, 1);
    const auto present = [&](const LeafChoices& to, std::vector<double>& part) {
      splits.split(to, part);
      for (const ChoiceOrder::Step& step : to.order.steps) {
        double sum = 0;
        for (const ChannelId channel : to.order.channels_of(step)) sum += part[channel.value()];
        ASSERT_NEAR(sum, 1, 1e-9);
      }
    };
    const double before = splits.largest_load(present);
    splits.balance();
    const double after = splits.largest_load(present);
    const std::vector<std::uint64_t> no_load(traffic.fabric.channel_count(), 0);
    const double bound =
        static_cast<double>(least_load(traffic.fabric, no_load, BoundPaths::kFewestHops, 1).paths);
    EXPECT_LE(after, 1.03 * bound) << spec;
    EXPECT_GT(before, 1.1 * bound) << spec;
  }
}

TEST(FlowSplits, SwitchesThatDivideNothingHaveEqualParts) {
  const Traffic traffic("fattree3:k=8,fail=12,seed=3");
  const std::vector<std::uint32_t> rates(traffic.fabric.channel_count(), 1);
  const std::vector<bool> divides(traffic.fabric.switch_count(), false);
  FlowSplits splits(traffic.fabric, rates, divides, traffic.leaves, 1);
  splits.balance();
  std::vector<double> part(traffic.fabric.channel_count(), 0);
  for (const LeafChoices& to : traffic.leaves) {
    splits.split(to, part);
    for (const ChoiceOrder::Step& step : to.order.steps) {
      if (!step.is_group) continue;
      for (const ChannelId channel : to.order.channels_of(step))
        ASSERT_DOUBLE_EQ(part[channel.value()], 1.0 / (step.end - step.begin));
    }
  }
}

TEST(GroupDivisions, ReduceTheLargestLoadOfDamagedTrees) {
  struct Case {
    const char* spec;
    double factor;  // largest load with divisions / without, at most
  };
  for (const auto& [spec, factor] :
       {Case{"fattree3:k=8,fail=30,seed=4", 0.72}, Case{"fattree3:k=8,fail=12,seed=3", 0.9},
        Case{"fattree2:k=12,fail=9,seed=5", 1}}) {
    const Fabric fabric = fabric_of(spec);
    const auto largest = [&](AsymmetricFlow where) {
      return static_cast<double>(all_to_all(fabric, divided_routes(fabric, where), false)[0]);
    };
    const double before = largest(AsymmetricFlow::kOff);
    EXPECT_LE(largest(AsymmetricFlow::kAll), factor * before + 1) << spec;
  }
}

TEST(GroupDivisions, RequireAGainOfAnEighth) {
  using Flows = std::vector<std::pair<PortNum, double>>;
  EXPECT_FALSE(best_division(Flows{}));
  EXPECT_FALSE(best_division(Flows{{PortNum(1), 5}}));
  EXPECT_FALSE(best_division(Flows{{PortNum(1), 5}, {PortNum(2), 5}}));
  EXPECT_FALSE(best_division(Flows{{PortNum(1), 5}, {PortNum(2), 6}}))
      << "a gain from 5 to 5.5 is only a tenth";
  const auto division =
      best_division(Flows{{PortNum(1), 1}, {PortNum(2), 3}, {PortNum(3), 1}, {PortNum(4), 3}});
  ASSERT_TRUE(division);
  EXPECT_EQ(division->second, PortMask(0b1010));
  EXPECT_EQ(division->first_weight, 48);
  EXPECT_EQ(division->second_weight, 16);
  // Of three values, the two nearest are in one sub-group.
  EXPECT_EQ(best_division(Flows{{PortNum(1), 10}, {PortNum(2), 9}, {PortNum(3), 2}})->second,
            PortMask(0b1000));
  EXPECT_EQ(best_division(Flows{{PortNum(1), 10}, {PortNum(2), 3}, {PortNum(3), 2}})->second,
            PortMask(0b1100));
}

}  // namespace
}  // namespace weft
