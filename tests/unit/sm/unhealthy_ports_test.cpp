// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Unhealthy ports of an emulated fabric: each condition is detected, and each action has its
// effect.
#include <gmock/gmock.h>

#include <optional>

#include "support/corrupting_wire.h"
#include "support/managed_subnet.h"
#include "support/notices.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Host n is cabled to the port `near(n)` of its leaf; the manager is on host 0.
class SubnetWithUnhealthyPorts : public testing::Test {
 protected:
  SubnetWithUnhealthyPorts() { managed.options.health.checks = true; }
  ~SubnetWithUnhealthyPorts() override { managed.end_manager(); }
  void bring_up() {
    managed.start();
    ASSERT_TRUE(managed.settle());
  }
  void set_action(HealthCondition condition, HealthAction action) {
    HealthOptions& health = managed.options.health;
    health.ca_actions[static_cast<std::size_t>(condition)] = action;
    health.switch_actions[static_cast<std::size_t>(condition)] = action;
  }
  const Endport& host(std::uint32_t n) const {
    return managed.fabric().endport(EndportId(managed.fabric().switch_count() + n));
  }
  CableEnd end_of(PortId port) const {
    const Port& data = managed.fabric().port(port);
    return {managed.fabric().node(data.node).node_guid, data.num};
  }
  CableEnd near(std::uint32_t n) const { return end_of(managed.fabric().port(host(n).port).peer); }
  /// Conditions and action of a port, as "reboot: report"; empty if the port is healthy.
  std::string at(const CableEnd& end) {
    const auto& ports = managed.sm().unhealthy_ports();
    const auto port = ports.find(end);
    if (port == ports.end()) return "";
    std::string text;
    for (const HealthCondition condition : port->second.conditions)
      text += std::string(name(condition)) + ": ";
    return text + std::string(name(port->second.action));
  }
  bool is_known(std::uint32_t n) {
    return managed.known().find_node(managed.fabric().node(host(n).node).node_guid).has_value();
  }
  /// All SMPs to this host are lost from now on.
  void lose_smps_to(std::uint32_t n) {
    managed.emulated().set_filter([node = host(n).node](const Smp&, NodeId, NodeId to) {
      return to == node ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
    });
  }
  void flap(PortId cable, unsigned times) {
    for (unsigned i = 0; i < times; ++i) {
      managed.emulated().cut_cable(cable);
      managed.run_for(2 * kSecond);
      managed.emulated().restore_cable(cable);
      managed.run_for(2 * kSecond);
    }
  }
  /// Sends 60 traps of a host, which make its port noisy.
  void send_traps_of(std::uint32_t n) {
    const EndportId sender(managed.fabric().switch_count() + n);
    SmpTransport& wire = managed.emulated().attach(sender, false);
    const Lid own = managed.emulated().port_info(host(n).port).lid;
    for (unsigned i = 0; i < 60; ++i) {
      EXPECT_EQ(at(near(n)), "");
      const Notice notice =
          notice_of(TrapNumber::kBadPkey, NoticeType::kSecurity, {}, own, Producer::kCa);
      ASSERT_TRUE(wire.send(trap_of(notice, own, managed.sm().snapshot()->sm_lid(), i + 1)));
      managed.run_for(std::chrono::milliseconds(20));
    }
  }
  std::vector<PortHealthChanged> health_events() {
    std::vector<PortHealthChanged> events;
    for (Occurrence& occurrence : managed.sm().take_occurrences())
      if (auto* change = std::get_if<PortHealthChanged>(&occurrence)) events.push_back(*change);
    return events;
  }

  ManagedSubnet managed{fabric_of("fattree2:k=4")};
};

TEST_F(SubnetWithUnhealthyPorts, DoNotExistByDefault) {
  managed.options.health.checks = false;
  bring_up();
  flap(host(5).port, 10);
  EXPECT_THAT(managed.sm().unhealthy_ports(), IsEmpty());
}

TEST_F(SubnetWithUnhealthyPorts, FlappingLinksAreReportedAndStayInUse) {
  bring_up();
  flap(host(5).port, 4);
  EXPECT_EQ(at(near(5)), "");
  flap(host(5).port, 1);
  EXPECT_EQ(at(near(5)), "flapping: report");
  EXPECT_EQ(managed.sm().unhealthy_ports().size(), 1u);
  EXPECT_TRUE(is_known(5));
  const auto events = health_events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].is_unhealthy);
  EXPECT_EQ(events[0].node, managed.fabric().node(host(5).node).node_guid);
  EXPECT_EQ(events[0].peer, near(5).guid);
  EXPECT_EQ(events[0].what, "flapping: report");
  managed.run_for(320 * kSecond);
  EXPECT_EQ(at(near(5)), "") << "the port must be healthy 30 sweeps later";
  EXPECT_FALSE(health_events().back().is_unhealthy);
}

/// No route uses an isolated link between switches, although the link is up. After the link is
/// marked as healthy, routes use it again.
TEST_F(SubnetWithUnhealthyPorts, IsolatedLinksCarryNoRoutes) {
  set_action(HealthCondition::kFlapping, HealthAction::kIsolate);
  bring_up();
  const std::size_t links = managed.known().link_count();
  const PortId cable = managed.cable_between(SwitchId(1), SwitchId(5));
  flap(cable, 5);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().link_count(), links - 1);
  EXPECT_EQ(managed.emulated().port_info(cable).phys_state, PhysState::kLinkUp);
  EXPECT_TRUE(managed.report().up) << managed.report().error;
  EXPECT_THAT(managed.report().warnings, IsEmpty());
  managed.run_for(20 * kSecond);
  const std::uint64_t sweeps = managed.sm().heavy_sweeps();
  managed.run_for(60 * kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps) << managed.report().reason;
  // An incremental discovery omits the isolated link too.
  managed.emulated().cut_cable(host(6).port);
  managed.run_for(2 * kSecond);
  EXPECT_TRUE(managed.report().discovered_incrementally);
  EXPECT_EQ(managed.known().link_count(), links - 2);
  managed.emulated().restore_cable(host(6).port);
  ASSERT_TRUE(managed.sm().mark_healthy(end_of(cable).guid, end_of(cable).port));
  managed.run_for(5 * kSecond);
  EXPECT_EQ(managed.known().link_count(), links);
  expect_managed(managed);
}

TEST_F(SubnetWithUnhealthyPorts, IsolatedHostsAreNotPartOfTheFabric) {
  set_action(HealthCondition::kFlapping, HealthAction::kIsolate);
  bring_up();
  flap(host(5).port, 5);
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(is_known(5));
  EXPECT_TRUE(managed.report().up);
  EXPECT_THAT(managed.report().warnings, IsEmpty());
  EXPECT_TRUE(managed.sm().mark_healthy(near(5).guid, near(5).port));
  managed.run_for(5 * kSecond);
  EXPECT_TRUE(is_known(5));
  expect_managed(managed);
}

/// Once the port has the action no_discover, no request is sent to the host, and no request times
/// out.
TEST_F(SubnetWithUnhealthyPorts, HostsWithoutAnswerAreNotQueriedWithNoDiscover) {
  set_action(HealthCondition::kUnresponsive, HealthAction::kNoDiscover);
  bring_up();
  lose_smps_to(5);
  managed.sm().request_heavy_sweep("test");
  managed.run_for(80 * kSecond);
  EXPECT_EQ(at(near(5)), "unresponsive: no_discover");
  EXPECT_EQ(managed.sm().unhealthy_ports().at(near(5)).port.far, end_of(host(5).port));
  EXPECT_FALSE(is_known(5));
  const std::uint64_t timeouts = managed.sm().smp_counts().timed_out;
  managed.sm().request_heavy_sweep("test");
  managed.run_for(60 * kSecond);
  EXPECT_EQ(managed.sm().smp_counts().timed_out, timeouts);
  EXPECT_THAT(managed.report().warnings, IsEmpty());
  managed.emulated().set_filter({});
  managed.run_for(60 * kSecond);
  EXPECT_FALSE(is_known(5)) << "the host must stay unknown until the port is marked as healthy";
  EXPECT_TRUE(managed.sm().mark_healthy(near(5).guid, near(5).port));
  managed.run_for(5 * kSecond);
  EXPECT_TRUE(is_known(5));
}

/// The type of a node that stopped answering is known from earlier sweeps.
TEST_F(SubnetWithUnhealthyPorts, SwitchesWithoutAnswerHaveTheActionOfSwitches) {
  HealthOptions& health = managed.options.health;
  health.switch_actions[static_cast<std::size_t>(HealthCondition::kUnresponsive)] =
      HealthAction::kNoDiscover;
  bring_up();
  managed.emulated().set_filter([](const Smp&, NodeId, NodeId to) {
    return to == NodeId(5) ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.run_for(90 * kSecond);
  EXPECT_EQ(managed.known().switch_count(), 5u);
  EXPECT_EQ(at(end_of(managed.cable_between(SwitchId(0), SwitchId(5)))),
            "unresponsive: no_discover");
  EXPECT_TRUE(managed.report().up);
}

TEST_F(SubnetWithUnhealthyPorts, NoisyPortsAreDisabledAndEnabledAgain) {
  set_action(HealthCondition::kNoisy, HealthAction::kDisable);
  bring_up();
  send_traps_of(5);
  managed.run_for(2 * kSecond);
  EXPECT_EQ(at(near(5)), "noisy: disable");
  const PortId near_port = managed.fabric().port(host(5).port).peer;
  EXPECT_EQ(managed.emulated().port_info(near_port).phys_state, PhysState::kDisabled);
  EXPECT_FALSE(is_known(5));
  EXPECT_TRUE(managed.sm().mark_healthy(near(5).guid, near(5).port));
  managed.run_for(15 * kSecond);
  EXPECT_EQ(managed.emulated().port_info(near_port).phys_state, PhysState::kLinkUp);
  EXPECT_TRUE(is_known(5));
  expect_managed(managed);
}

TEST_F(SubnetWithUnhealthyPorts, TheLastOrderDecidesTheStateOfAPort) {
  set_action(HealthCondition::kNoisy, HealthAction::kDisable);
  bring_up();
  managed.sm().set_sweeping(false);
  send_traps_of(5);
  managed.run_for(2 * kSecond);
  EXPECT_EQ(at(near(5)), "noisy: disable");
  EXPECT_TRUE(managed.sm().mark_healthy(near(5).guid, near(5).port));
  managed.sm().set_sweeping(true);
  managed.run_for(15 * kSecond);
  const PortId near_port = managed.fabric().port(host(5).port).peer;
  EXPECT_EQ(managed.emulated().port_info(near_port).phys_state, PhysState::kLinkUp);
  EXPECT_TRUE(is_known(5));
}

TEST_F(SubnetWithUnhealthyPorts, RestartsAreCounted) {
  managed.options.health.reboots.limit = 3;
  bring_up();
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(at(near(5)), "");
    managed.emulated().switch_off_node(host(5).node);
    managed.run_for(5 * kSecond);
    managed.emulated().switch_on_node(host(5).node);
    managed.run_for(5 * kSecond);
  }
  EXPECT_EQ(at(near(5)), "reboot: report");
  // A cable that is cut does not count as a restart.
  flap(host(6).port, 3);
  EXPECT_EQ(at(near(6)), "");
}

TEST_F(SubnetWithUnhealthyPorts, RefusedSetsAreCounted) {
  DeviceBehavior quirks;
  quirks.refused_status = mad_status::kInvalidField;
  quirks.refused_method = Method::kSet;
  quirks.refused_attribute = AttributeId::kPortInfo;
  managed.emulated().set_behavior(host(5).node, quirks);
  bring_up();
  EXPECT_EQ(at(near(5)), "");
  for (unsigned i = 0; i < 4; ++i) {
    managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(managed.settle());
  }
  EXPECT_EQ(at(near(5)), "seterr: report");
  EXPECT_EQ(managed.sm().unhealthy_ports().size(), 1u);
}

TEST_F(SubnetWithUnhealthyPorts, ImpossibleAnswersAreCounted) {
  std::optional<CorruptingWire> corrupting;
  const Guid victim = managed.fabric().node(host(5).node).node_guid;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    return corrupting.emplace(wire, [victim](Smp& smp) {
      if (smp.attribute != AttributeId::kNodeInfo) return false;
      auto info = decode_node_info(smp.data);
      if (!info || info->node_guid != victim) return false;
      info->port_count = 0;
      smp.data = encode(*info);
      return true;
    });
  };
  bring_up();
  EXPECT_EQ(at(near(5)), "illegal: report");
  managed.end_manager();
}

TEST_F(SubnetWithUnhealthyPorts, MarksOfTheFileCanNameEitherEnd) {
  set_action(HealthCondition::kManual, HealthAction::kIsolate);
  managed.options.health.marks = {{near(4), false}, {end_of(host(5).port), false}};
  bring_up();
  EXPECT_EQ(at(near(4)), "manual: isolate");
  EXPECT_EQ(at(near(5)), "manual: isolate");
  EXPECT_FALSE(is_known(4) || is_known(5));
  SmOptions options = managed.options;
  options.health.marks.push_back({std::nullopt, true});
  managed.sm().set_options(options);
  managed.run_for(5 * kSecond);
  EXPECT_THAT(managed.sm().unhealthy_ports(), IsEmpty());
  EXPECT_TRUE(is_known(4) && is_known(5));
}

TEST_F(SubnetWithUnhealthyPorts, NeverIncludeThePortOfTheManager) {
  set_action(HealthCondition::kManual, HealthAction::kDisable);
  set_action(HealthCondition::kFlapping, HealthAction::kDisable);
  set_action(HealthCondition::kNoisy, HealthAction::kDisable);
  managed.options.health.traps.limit = 1;
  managed.options.health.marks = {{near(0), false}, {end_of(host(0).port), false}};
  bring_up();
  flap(host(0).port, 6);
  managed.run_for(20 * kSecond);
  EXPECT_EQ(at(near(0)), "");
  EXPECT_EQ(managed.emulated().port_info(host(0).port).phys_state, PhysState::kLinkUp);
}

}  // namespace
}  // namespace weft
