// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two sub-groups with weights on switches that support weighted hash-based forwarding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/model.h"
#include "emulator/snapshot.h"
#include "ib/adaptive_unconfirmed.h"
#include "support/managed_subnet.h"
#include "unit/sm/set_order.h"
#include "verify/verify.h"

namespace weft {
namespace {

using Info = AdaptiveRoutingInfo;

/// Leaves 0 and 1 have two cables to each of the spines 3 and 4. Leaf 2 has two cables to spine 3
/// and one cable to spine 4.
Fabric uneven_leaves() {
  Tiny tree(5, 16);
  for (unsigned leaf = 0; leaf < 3; ++leaf)
    tree.link(leaf, 3, 2).link(leaf, 4, leaf == 2 ? 1 : 2).hosts(leaf, 4);
  return tree.build();
}

class WeightedSubnet : public ManagedSubnet {
 public:
  explicit WeightedSubnet(Fabric fabric = uneven_leaves(),
                          AdaptiveSwitches kind = AdaptiveSwitches::kAnswered,
                          bool notifications = false)
      : ManagedSubnet(std::move(fabric), emulator(kind, notifications)) {
    options.routing_engine = {{"ar_updn"}, false};
    options.routing.asymmetric_flow = AsymmetricFlow::kAll;
  }
  const emulator::AdaptiveModel& model(std::uint32_t sw) {
    return emulated().adaptive(SwitchId(sw));
  }
  void up() {
    start();
    ASSERT_TRUE(settle());
    expect_sub_groups();
  }
  void sweep() {
    emulated().reset_counters();
    sm().set_options(options);
    sm().request_heavy_sweep("a test");
    ASSERT_TRUE(settle());
    expect_sub_groups();
  }
  /// Expects the published groups, divisions and weights at every switch with adaptive routing.
  void expect_sub_groups() {
    expect_managed(*this);
    const auto snapshot = sm().snapshot();
    for (std::uint32_t s = 0; s < known().switch_count(); ++s) {
      const auto there = fabric().find_node(known().node(SwitchId(s)).node_guid)->value();
      const emulator::AdaptiveModel& held = model(there);
      if (!held.info.enabled) continue;
      const ArTables& tables = *snapshot->routes.adaptive;
      const bool divided = !tables.divisions(SwitchId(s)).empty();
      EXPECT_EQ(held.sub_groups(), divided ? 2u : 1u);
      EXPECT_EQ(held.uses_weights(), divided);
      for (unsigned l = 1; l <= snapshot->routes.lfts.top().value(); ++l) {
        const Lid lid(static_cast<std::uint16_t>(l));
        const PortMask* group = tables.group_of(SwitchId(s), lid);
        ASSERT_EQ(group != nullptr, held.group(lid).has_value());
        if (group == nullptr) continue;
        EXPECT_EQ(*group, *held.group(lid)) << "switch " << s << " LID " << l;
        if (!divided) continue;
        const GroupDivision& division =
            tables.divisions(SwitchId(s))[tables.entry(SwitchId(s), lid).group];
        const std::size_t number = held.group_number(lid);
        EXPECT_EQ(held.groups[2 * number + 1], division.second);
        EXPECT_EQ(held.weights[number][0], division.first_weight);
        EXPECT_EQ(held.weights[number][1], division.second_weight);
      }
    }
  }
  std::size_t divided() {
    std::size_t count = 0;
    for (std::uint32_t s = 0; s < fabric().switch_count(); ++s)
      count += model(s).info.enabled && model(s).sub_groups() == 2 ? 1 : 0;
    return count;
  }
  std::uint64_t writes() const {
    return sets(kArGroupTable) + sets(kArForwardingTable) + sets(kWhbfConfig) +
           sets(kAdaptiveRoutingInfo);
  }

 private:
  static EmulatorOptions emulator(AdaptiveSwitches kind, bool notifications) {
    EmulatorOptions options;
    options.adaptive = kind;
    options.notifications = notifications;
    return options;
  }
};

TEST(SubGroups, AreWrittenWithTheirWeights) {
  WeightedSubnet managed;
  managed.up();
  EXPECT_EQ(managed.divided(), 2u) << "only leaves 0 and 1 must have sub-groups";
  EXPECT_GT(managed.report().adaptive.weights, 0u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.writes(), 0u) << "a second sweep must write nothing";
}

/// The number of sub-groups is set before the tables, and the weights after the entries.
TEST(SubGroups, WeightsAreWrittenAfterEntriesAndBeforeAdaptiveRoutingIsEnabled) {
  WeightedSubnet managed;
  SetOrder order(managed);
  managed.up();
  EXPECT_THAT(order.take(), testing::ElementsAre("off", "plain tables", "groups", "entries of 0",
                                                 "hash", "weights", "on"));
}

/// Without HBF, weights have no effect, so the groups are no longer divided.
TEST(SubGroups, AreRemovedFromASwitchThatRefusesHbf) {
  WeightedSubnet managed;
  DeviceBehavior fewer_fields;
  fewer_fields.stored_hash_fields = 0xF;
  managed.emulated().set_behavior(NodeId(0), fewer_fields);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.model(0).info.enabled);
  EXPECT_FALSE(managed.model(0).uses_weights());
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  managed.expect_sub_groups();
  EXPECT_EQ(managed.divided(), 1u) << "only leaf 1 must have sub-groups";
  EXPECT_TRUE(managed.model(0).info.enabled);
  EXPECT_EQ(managed.model(0).sub_groups(), 1u);
}

/// On switches with FRN, sub-groups follow ar_tree_asymmetric_flow and hbf_sl_mask.
TEST(SubGroups, ChangeWithTheConfiguration) {
  WeightedSubnet managed(uneven_leaves(), AdaptiveSwitches::kAnswered, true);
  managed.options.routing.asymmetric_flow = AsymmetricFlow::kOff;
  managed.up();
  EXPECT_EQ(managed.divided(), 0u);
  EXPECT_EQ(managed.sets(kWhbfConfig), 0u);
  managed.options.routing.asymmetric_flow = AsymmetricFlow::kLeaves;
  managed.sweep();
  EXPECT_EQ(managed.divided(), 2u);
  managed.options.hbf_sl_mask = 0;
  managed.sweep();
  EXPECT_EQ(managed.divided(), 0u) << "weights need hash-based forwarding";
  EXPECT_EQ(managed.model(0).info.more_enabled & Info::kWhbfEnabled, 0);
  managed.options.hbf_sl_mask = 0xFFFF;
  managed.sweep();
  EXPECT_EQ(managed.divided(), 2u);
  managed.options.routing.asymmetric_flow = AsymmetricFlow::kOff;
  managed.sweep();
  EXPECT_EQ(managed.divided(), 0u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
}

TEST(SubGroups, ArePresentOnlyOnSwitchesWithSupport) {
  for (const auto kind :
       {AdaptiveSwitches::kMixed, AdaptiveSwitches::kIgnored, AdaptiveSwitches::kRefused}) {
    WeightedSubnet managed(fabric_of("fattree3:k=8,fail=12,seed=3"), kind, true);
    managed.up();
    EXPECT_EQ(managed.report().adaptive.errors, 0u);
    for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
      if ((managed.model(s).info.more_capabilities & Info::kWhbfCapable) == 0) {
        EXPECT_EQ(managed.model(s).info.sub_groups_active, 0);
      }
    }
    if (kind == AdaptiveSwitches::kMixed) {
      EXPECT_GT(managed.divided(), 0u);
    }
  }
}

/// A new manager without sub-groups removes those of the previous manager.
TEST(SubGroups, AreRemovedByAManagerWithoutSubGroups) {
  WeightedSubnet managed;
  managed.up();
  managed.options.routing.asymmetric_flow = AsymmetricFlow::kOff;
  managed.up();
  EXPECT_EQ(managed.divided(), 0u);
  managed.options.routing.asymmetric_flow = AsymmetricFlow::kAll;
  managed.up();
  EXPECT_EQ(managed.divided(), 2u);
}

TEST(SubGroups, OfSwitchesWithFrnAreMaskedTogether) {
  WeightedSubnet managed(uneven_leaves(), AdaptiveSwitches::kAnswered, true);
  managed.up();
  ASSERT_EQ(managed.divided(), 2u);
  EXPECT_EQ(managed.sets(kArGroupTableCopy), 0u)
      << "groups of switches with sub-groups must not be copied";
  for (const std::uint32_t leaf : {0u, 1u})
    if (managed.model(leaf).pfrn.selects_policy) {
      EXPECT_EQ(managed.model(leaf).pfrn.policy, PfrnConfig::kDragonflyPlus);
    }
  EXPECT_EQ(managed.model(2).pfrn.policy, PfrnConfig::kTree);
  const emulator::AdaptiveModel& leaf_0 = managed.model(0);
  for (std::size_t number = 1; number < leaf_0.group_count(); ++number) {
    const bool is_used = leaf_0.ports(number).any();
    EXPECT_EQ(leaf_0.directions[2 * number] != kRnNoDirection, is_used) << number;
    EXPECT_EQ(leaf_0.directions[2 * number], leaf_0.directions[2 * number + 1]) << number;
  }
  const Lid far = managed.known().endport(managed.known().endports_at(SwitchId(2))[0]).lid;
  managed.emulated().cut_cable(managed.cable_between(SwitchId(4), SwitchId(2)));
  managed.emulated().run_for(std::chrono::milliseconds(1));
  const auto live = managed.emulated().live_choices(SwitchId(0), far);
  EXPECT_EQ(live.count(), 2u) << "only the ports to the other spine may remain";
  EXPECT_EQ(live & managed.model(0).groups[2 * managed.model(0).group_number(far) + 1],
            std::bitset<256>());
}

TEST(SubGroups, ASwitchDividesFlowsByWeights) {
  const Fabric fabric = Tiny(2).link(0, 1, 4).hosts(0).hosts(1).build();
  const EmulatorOptions options;
  emulator::Model model(fabric, options);
  emulator::NodeModel& node = model.node(NodeId(0));
  emulator::AdaptiveModel& adaptive = node.adaptive;
  node.switch_info.linear_fdb_top = 63;
  adaptive.info.enabled = true;
  adaptive.info.sub_groups_active = 1;
  adaptive.groups.resize(4);
  adaptive.groups[2].set(1).set(2);
  adaptive.groups[3].set(3);
  adaptive.weights.resize(2);
  adaptive.weights[1] = {6, 2, 0};
  adaptive.entries.resize(16);
  adaptive.entries[5] = {0, 0, PortNum(1), 1};
  const auto set = [&](unsigned port, PortState state) {
    model.set_state(model.port_id(NodeId(0), PortNum(static_cast<std::uint8_t>(port))), state,
                    PhysState::kLinkUp);
  };
  for (unsigned port = 1; port < 4; ++port) set(port, PortState::kActive);
  const auto packets = [&] {
    std::array<unsigned, 5> count{};
    for (std::uint32_t flow = 0; flow < 1600; ++flow)
      ++count[model
                  .choose(node, PortNum(0), {Sl(0), emulator::Transport::kRc, flow}, Lid(5),
                          PortState::kActive)
                  .value()];
    return count;
  };
  EXPECT_EQ(packets()[3], 0u) << "without weights the second sub-group must get no packets";
  adaptive.info.more_enabled = Info::kWhbfEnabled;
  EXPECT_EQ(packets()[3], 0u) << "weights must apply to packets with HBF only";
  adaptive.info.more_enabled |= Info::kHbfBySlEnabled;
  adaptive.info.hbf_sl_mask = 1;
  const auto count = packets();
  EXPECT_NEAR(count[1], 600, 60);
  EXPECT_NEAR(count[2], 600, 60);
  EXPECT_NEAR(count[3], 400, 60);
  set(3, PortState::kDown);
  EXPECT_EQ(packets()[3], 0u) << "a sub-group without a usable port has no share";
  set(3, PortState::kActive);
  set(1, PortState::kDown);
  set(2, PortState::kDown);
  EXPECT_EQ(packets()[3], 1600u);
}

EndportId last_host(const Fabric& fabric) { return EndportId(fabric.endport_count() - 1); }

/// Sends one Set to the switch of the last host, and returns the answer.
Smp set_at_leaf(EmulatedFabric& emulated, SmpTransport& wire, AttributeId attribute,
                std::uint32_t modifier, const SmpData& data) {
  const EndportId host = last_host(emulated.fabric());
  Smp smp;
  smp.method = Method::kSet;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.hop_count = 1;
  smp.initial_path[1] = emulated.fabric().port(emulated.fabric().endport(host).port).num.value();
  smp.data = data;
  EXPECT_TRUE(wire.send(smp));
  emulated.run_for(std::chrono::milliseconds(1));
  const auto answer = wire.receive();
  EXPECT_TRUE(answer.has_value());
  return answer.value_or(Smp{});
}

TEST(SubGroups, AnEmulatedSwitchChecksWeights) {
  EmulatorOptions options;
  options.adaptive = AdaptiveSwitches::kAnswered;
  const Fabric fabric = uneven_leaves();
  EmulatedFabric emulated(fabric, options);
  SmpTransport& wire = emulated.attach(last_host(fabric), false);
  WhbfBlock block;
  block.weights[1] = {3, 0, 0};
  const auto status = [&](std::uint32_t modifier) {
    return set_at_leaf(emulated, wire, kWhbfConfig, modifier, encode(block)).status;
  };
  EXPECT_EQ(status(0), mad_status::kGood);
  EXPECT_EQ(status(64), mad_status::kInvalidField)
      << "the switch must refuse groups beyond the 1,024 groups";
  block.weights[1][1] = 1;
  EXPECT_EQ(status(0), mad_status::kInvalidField)
      << "the switch must refuse a weight of a second sub-group while one is active";
  set_at_leaf(emulated, wire, kAdaptiveRoutingInfo, 0, encode(Info{.sub_groups_active = 1}));
  EXPECT_EQ(status(0), mad_status::kGood);
  EXPECT_EQ(status(32), mad_status::kInvalidField)
      << "with two sub-groups the switch must refuse groups beyond the first 512";
}

}  // namespace
}  // namespace weft
