// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Repair by FRNs without the manager: cables are cut, switches exchange FRNs, and the test verifies
// the next hops that remain in the programmed AR groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "emulator/model.h"
#include "emulator/snapshot.h"
#include "fabric/without.h"
#include "routing/adaptive/notifications.h"
#include "support/managed_subnet.h"
#include "unit/sm/set_order.h"
#include "verify/verify.h"

namespace weft {
namespace {

EmulatorOptions options_with_frn(AdaptiveSwitches kind = AdaptiveSwitches::kAnswered) {
  EmulatorOptions options;
  options.adaptive = kind;
  options.notifications = true;
  return options;
}

class SubnetWithFrn : public ManagedSubnet {
 public:
  explicit SubnetWithFrn(const std::string& spec, const std::string& engine = "ar_updn",
                         AdaptiveSwitches kind = AdaptiveSwitches::kAnswered)
      : ManagedSubnet(fabric_of(spec), options_with_frn(kind)) {
    options.routing_engine = {{engine}, true};
  }
  void bring_up() {
    start();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(report().up) << report().error;
    routes_before_cuts = read_choices(emulated());
    emulated().reset_counters();
  }
  void cut(PortId port) {
    cut_cables.push_back(port);
    emulated().cut_cable(port);
  }
  /// Runs until all FRNs are delivered; the manager is not stepped.
  void deliver_frns() {
    const TimeNs end = emulated().clock().now() + std::chrono::milliseconds(5);
    while (emulated().pending_notifications() > 0) {
      ASSERT_LT(emulated().clock().now(), end);
      emulated().run_for(std::chrono::microseconds(1));
    }
  }
  /// The switch of the first host.
  SwitchId leaf() const { return fabric().endport(EndportId(fabric().switch_count())).sw; }
  Fabric remaining() { return without(*read_fabric(emulated()), {}, cut_cables); }
  const NotificationCounters& counters() { return emulated().counters().notifications; }
  PortId cable(SwitchId from, std::size_t nth) const {
    return fabric().port_id(Fabric::node_of(from), fabric().channels_from(from)[nth].from_port);
  }

  Routes routes_before_cuts;
  std::vector<PortId> cut_cables;
};

bool has_no_frns(SubnetWithFrn& managed) {
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
    const emulator::AdaptiveModel& model = managed.emulated().adaptive(SwitchId(s));
    if (model.info.enabled && (!model.lost.empty() || !model.notified.empty())) return false;
  }
  return true;
}

/// Switches from which packets can reach the LID by some of the remaining next hops.
std::vector<bool> reaching_switches(const Fabric& fabric, const Routes& routes, Lid lid) {
  std::vector<bool> has(fabric.switch_count(), false);
  const Endport& to = fabric.endport(fabric.endport_of(lid));
  if (to.sw == kNoSwitch) return has;
  has[to.sw.value()] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (!has[s])
        for_each_choice(routes.lfts, &*routes.adaptive, SwitchId(s), lid, [&](PortNum port) {
          const ChannelId channel =
              port == kNoRoute ? kNoChannel : fabric.channel_at(SwitchId(s), port);
          if (channel == kNoChannel || has[s] || !has[fabric.channel(channel).to.value()]) return;
          has[s] = grows = true;
        });
  }
  return has;
}

/// Expects that the remaining next hops are a subset of the verified next hops, without forwarding
/// loops and credit loops.
void expect_subset_of_verified(SubnetWithFrn& managed, const Routes& now, const Verdict& verdict) {
  EXPECT_EQ(verdict.loops, 0u);
  EXPECT_FALSE(verdict.has_credit_loop())
      << describe_cycle(managed.remaining(), verdict.credit_loop);
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
    for (std::uint32_t l = 1; l <= now.lfts.top().value(); ++l) {
      const Lid lid(static_cast<std::uint16_t>(l));
      PortMask before;
      for_each_choice(managed.routes_before_cuts.lfts, &*managed.routes_before_cuts.adaptive,
                      SwitchId(s), lid, [&](PortNum port) { before.set(port.value()); });
      for_each_choice(now.lfts, &*now.adaptive, SwitchId(s), lid, [&](PortNum port) {
        EXPECT_TRUE(before.test(port.value())) << "switch " << s << " LID " << l;
      });
    }
}

/// Expects that a pair is connected by any selection of next hops if a path of the pair remains.
/// All switches must support FRN.
void expect_connected(const Fabric& remaining, const Routes& routes_before_cuts,
                      const Verdict& verdict) {
  std::uint64_t connected_pairs = 0;
  for (const EndportId host : remaining.hosts()) {
    const auto has = reaching_switches(remaining, routes_before_cuts, remaining.endport(host).lid);
    for (const EndportId source : remaining.hosts())
      if (source != host && remaining.endport(source).sw != kNoSwitch &&
          has[remaining.endport(source).sw.value()])
        ++connected_pairs;
  }
  EXPECT_EQ(verdict.ca_to_ca.arrived, connected_pairs);
}

TEST(FrnRepair, AvoidsACutCableWithoutTheManager) {
  SubnetWithFrn managed("fattree3:k=4");
  managed.bring_up();
  EXPECT_EQ(managed.report().adaptive.notifying, 20u)
      << "all 20 switches must send FRNs, the roots for groups of one port";
  EXPECT_GT(managed.report().adaptive.notifications, 0u);
  const SwitchId leaf = managed.leaf();
  managed.cut(managed.cable(leaf, 0));
  const Fabric remaining = managed.remaining();
  const Verdict before = verify(remaining, read_choices(managed.emulated()));
  EXPECT_LT(before.ca_to_ca.arrived, before.ca_to_ca.pairs)
      << "paths down to the leaf must be broken";
  const TimeNs cut_at = managed.emulated().clock().now();
  managed.deliver_frns();
  const Routes now = read_choices(managed.emulated());
  const Verdict verdict = verify(remaining, now);
  EXPECT_TRUE(verdict.cas_ok());
  expect_subset_of_verified(managed, now, verdict);
  EXPECT_GT(managed.counters().generated, 0u);
  EXPECT_GT(managed.counters().consumed, 0u);
  EXPECT_LE(managed.counters().consumed, managed.counters().sent);
  EXPECT_LT(managed.counters().last_use - cut_at, std::chrono::microseconds(10));
  // The manager then reroutes, and all FRNs are cleared.
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_TRUE(has_no_frns(managed));
  EXPECT_EQ(managed.report().adaptive.notifying, 20u);
}

TEST(FrnRepair, SendsNoFrnWhenAParallelLinkRemains) {
  SubnetWithFrn managed("fattree2:k=8,trunks=2");
  managed.bring_up();
  managed.cut(managed.cable(SwitchId(0), 0));
  EXPECT_EQ(managed.emulated().pending_notifications(), 0u);
  EXPECT_EQ(managed.counters().sent, 0u);
  EXPECT_TRUE(verify(managed.remaining(), read_choices(managed.emulated())).cas_ok());
}

TEST(FrnRepair, SendsNoFrnWithShieldModeOff) {
  SubnetWithFrn managed("fattree3:k=4");
  managed.options.shield_mode = false;
  managed.bring_up();
  EXPECT_EQ(managed.report().adaptive.notifying, 0u);
  EXPECT_EQ(managed.report().adaptive.notifications, 0u);
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
    EXPECT_FALSE(managed.emulated().adaptive(SwitchId(s)).info.rn_transmission);
  }
  managed.cut(managed.cable(managed.leaf(), 0));
  managed.deliver_frns();
  EXPECT_EQ(managed.counters().sent, 0u);
  EXPECT_FALSE(verify(managed.remaining(), read_choices(managed.emulated())).ok());
  // A later change of options enables FRN.
  managed.options.shield_mode = true;
  managed.sm().set_options(managed.options);
  managed.run_for(std::chrono::seconds(30));
  managed.emulated().restore_cable(managed.cut_cables[0]);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().adaptive.notifying, 20u);
}

// A cable that is cut and restored before discovery changes no table, but its FRNs must be
// cleared.
TEST(FrnRepair, ClearsFrnsAfterACutCableIsRestored) {
  SubnetWithFrn managed("fattree3:k=4");
  managed.bring_up();
  managed.cut(managed.cable(managed.leaf(), 0));
  managed.deliver_frns();
  EXPECT_FALSE(has_no_frns(managed));
  managed.emulated().restore_cable(managed.cut_cables[0]);
  managed.emulated().run_for(std::chrono::milliseconds(20));  // link training
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_TRUE(has_no_frns(managed));
  const Routes now = read_choices(managed.emulated());
  EXPECT_EQ(now.lfts, managed.routes_before_cuts.lfts);
  EXPECT_EQ(*now.adaptive, *managed.routes_before_cuts.adaptive);
}

/// The order of OpenSM 5.24: forwarding tables, groups, copies, AR entries, notifications.
TEST(FrnRepair, WritesTablesOfFrnAfterEntriesAndBeforeAdaptiveRoutingIsEnabled) {
  SubnetWithFrn managed("fattree3:k=8");
  SetOrder order(managed);
  managed.bring_up();
  EXPECT_THAT(order.take(),
              testing::ElementsAre("plain tables", "groups", "copies", "entries of 0", "directions",
                                   "strings", "decisions", "ports", "hash", "pFRN", "on"));
}

void expect_no_table_writes(SubnetWithFrn& managed) {
  for (const AttributeId table : {kArGroupTable, kArForwardingTable, kRnSubGroupDirectionTable,
                                  kRnGenStringTable, kRnRcvString, kRnXmitPortMask})
    EXPECT_EQ(managed.sets(table), 0u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
}

TEST(FrnRepair, HeavySweepWithoutAPortChangeWritesNothing) {
  SubnetWithFrn managed("fattree3:k=4");
  managed.bring_up();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  expect_no_table_writes(managed);
  EXPECT_EQ(managed.sets(kAdaptiveRoutingInfo), 0u);
}

/// The link of a host fails and returns, so that only a port state changes.
TEST(FrnRepair, SweepAfterAPortChangeClearsFrnsWithoutTableWrites) {
  SubnetWithFrn managed("fattree3:k=4");
  managed.bring_up();
  const EndportId host(managed.fabric().endport_count() - 1);
  managed.emulated().cut_cable(managed.fabric().endport(host).port);
  managed.emulated().restore_cable(managed.fabric().endport(host).port);
  managed.emulated().run_for(std::chrono::milliseconds(20));  // link training
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  expect_no_table_writes(managed);
  EXPECT_EQ(managed.sets(kAdaptiveRoutingInfo), 20u)
      << "the manager must clear the FRNs of each switch once";
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sets(kAdaptiveRoutingInfo), 0u);
}

/// A switch that does not confirm the clearing gets the Set in the next sweep.
TEST(FrnRepair, ClearsFrnsAgainIfASwitchDidNotAnswer) {
  SubnetWithFrn managed("fattree3:k=4");
  managed.bring_up();
  const EndportId host(managed.fabric().endport_count() - 1);
  managed.emulated().cut_cable(managed.fabric().endport(host).port);
  managed.emulated().restore_cable(managed.fabric().endport(host).port);
  managed.emulated().run_for(std::chrono::milliseconds(20));
  managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId to) {
    return smp.attribute == kAdaptiveRoutingInfo && smp.method == Method::kSet && to == NodeId(0)
               ? EmulatedFabric::Delivery::kLose
               : EmulatedFabric::Delivery::kPass;
  });
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_GT(managed.report().adaptive.errors, 0u);
  managed.emulated().set_filter({});
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_GT(managed.sets(kAdaptiveRoutingInfo), 0u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
}

TEST(FrnRepair, SkipsPortsRemovedByAnFrn) {
  const Fabric fabric = Tiny(2).link(0, 1, 4).hosts(0).hosts(1).build();
  const EmulatorOptions options;
  emulator::Model model(fabric, options);
  emulator::NodeModel& node = model.node(NodeId(0));
  node.switch_info.linear_fdb_top = 63;
  node.adaptive.info.enabled = true;
  node.adaptive.groups.resize(3);
  node.adaptive.groups[1] = node.adaptive.groups[2].set(1).set(2).set(3);
  node.adaptive.entries.resize(16);
  node.adaptive.entries[5] = {0, 0, PortNum(1), 1};
  node.adaptive.entries[6] = {0, 0, PortNum(1), 2};
  for (unsigned port = 1; port < 4; ++port)
    model.set_state(model.port_id(NodeId(0), PortNum(static_cast<std::uint8_t>(port))),
                    PortState::kActive, PhysState::kLinkUp);
  node.adaptive.lost[1].set(1).set(3);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(model.choose(node, PortNum(0), {}, Lid(5), PortState::kActive).value(), 2u);
  EXPECT_EQ(model.live_choices(node, 0, Lid(6), PortState::kActive).count(), 3u)
      << "the ports of group 2 must stay, because FRNs removed ports of group 1 only";
}

constexpr const char* kFabrics[] = {"fattree3:k=4",
                                    "fattree2:k=8,trunks=2",
                                    "xgft:m=2x3x2,w=1x2x2",
                                    "xgft:m=2x2x2x2,w=1x2x2x2",
                                    "fattree3:k=4,pods=3,fail=2,seed=3",
                                    "torus:4x4,hosts=2",
                                    "dragonfly:a=4,h=1,p=2",
                                    "dragonflyplus:leaves=2,spines=2,h=2,hosts=2",
                                    "random:n=16,degree=4,hosts=2,seed=1"};

// Random cables are cut, some of them while FRNs are in transit. The manager is not stepped before
// the remaining next hops are verified.
TEST(FrnRepair, StaysConnectedWithinVerifiedGroupsAfterRandomCuts) {
  for (const char* spec : kFabrics)
    for (const char* engine : {"ar_updn", "ar_ftree", "ar_dfp"})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const bool mixed = seed == 3;
        SubnetWithFrn managed(spec, engine,
                              mixed ? AdaptiveSwitches::kMixed : AdaptiveSwitches::kAnswered);
        managed.bring_up();
        if (HasFatalFailure()) return;
        Rng rng(seed);
        for (unsigned cuts = 0; cuts < 2 + 2 * seed; ++cuts) {
          const SwitchId sw(static_cast<std::uint32_t>(rng.below(managed.fabric().switch_count())));
          managed.cut(managed.cable(sw, rng.below(managed.fabric().channels_from(sw).size())));
          // Otherwise the next cut occurs while FRNs are in transit.
          if (rng.below(2) == 0) managed.deliver_frns();
          if (HasFatalFailure()) return;
        }
        managed.deliver_frns();
        if (HasFatalFailure()) return;
        const Fabric remaining = managed.remaining();
        const Routes now = read_choices(managed.emulated());
        const Verdict verdict = verify(remaining, now);
        expect_subset_of_verified(managed, now, verdict);
        if (!mixed) expect_connected(remaining, managed.routes_before_cuts, verdict);
        managed.run_for(std::chrono::seconds(30));
        ASSERT_TRUE(managed.settle());
        EXPECT_TRUE(has_no_frns(managed));
        if (managed.report().up) expect_managed(managed);
        if (HasFailure()) FAIL() << spec << ' ' << engine << " seed " << seed;
      }
}

TEST(FrnRepair, RoutesAroundAFailedSwitch) {
  SubnetWithFrn managed("fattree3:k=4");
  managed.bring_up();
  // A switch above the leaves fails. Switches with another port in the AR
  // group use that port immediately or after an FRN.
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
    if (!managed.fabric().endports_at(SwitchId(s)).empty()) continue;
    for (const Port& port : managed.fabric().ports(SwitchId(s)))
      if (port.peer != kNoPort)
        managed.cut_cables.push_back(managed.fabric().port_id(NodeId(s), port.num));
    managed.emulated().switch_off_node(NodeId(s));
    break;
  }
  managed.deliver_frns();
  const Verdict verdict = verify(managed.remaining(), read_choices(managed.emulated()));
  EXPECT_TRUE(verdict.cas_ok());
}

}  // namespace
}  // namespace weft
