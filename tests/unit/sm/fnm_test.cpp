// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabric-management (FNM) ports of switch systems: their links carry directed-route SMPs, but no
// data routes, and rings that are not closed are reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "fabric/planes.h"
#include "fabric/without.h"
#include "ib/vendor/planes.h"
#include "sm/discovery/directed.h"
#include "sm/health/health_findings.h"
#include "sm/planes/fnm_ports.h"
#include "sm/planes/plane_reading.h"
#include "support/corrupting_wire.h"
#include "support/managed_subnet.h"
#include "support/managers.h"
#include "verify/planes/plane_verdicts.h"

namespace weft {
namespace {

constexpr const char* kRings = "fattree2:k=4,planes=4,fnm=1";

EmulatorOptions fnm_options(PlanarSupport support = PlanarSupport::kAll) {
  EmulatorOptions options;
  options.planar = support;
  return options;
}

struct SubnetWithRings {
  explicit SubnetWithRings(bool all_ports, const EmulatorOptions& options = fnm_options(),
                           const char* spec = kRings)
      : managed(fabric_of(spec), options) {
    if (all_ports) managed.use_all_ports();
    managed.start();
  }
  std::vector<PlaneState> states() {
    const auto snapshot = managed.sm().snapshot();
    std::vector<PlaneState> result;
    for (const PlaneVerdict& plane :
         plane_verdicts(snapshot->fabric, snapshot->verdict, snapshot->report.planes.stated))
      result.push_back(plane.state);
    return result;
  }
  std::uint64_t gets_of_extended_ports() {
    return managed.emulated().counters().requests(Method::kGet, AttributeId::kMlnxExtendedPortInfo);
  }
  const PlaneReport& planes() { return managed.report().planes; }

  ManagedSubnet managed;
};

/// In systems with an even system image GUID, mission ports are used as FNM ports.
TEST(FnmOfASubnet, PlanesAreRoutedWithoutFnmLinks) {
  for (const bool all_ports : {true, false}) {
    SubnetWithRings subnet(all_ports);
    ASSERT_TRUE(subnet.managed.settle());
    EXPECT_EQ(subnet.states(), std::vector(4, PlaneState::kVerified));
    EXPECT_TRUE(subnet.managed.report().warnings.empty()) << subnet.managed.report().warnings[0];
    const Fabric& known = subnet.managed.known();
    const Fabric& fabric = subnet.managed.fabric();
    EXPECT_EQ(known.link_count(), fabric.link_count());
    EXPECT_TRUE(std::ranges::equal(known.fnm_ends(), fabric.fnm_ends()));
    EXPECT_EQ(subnet.planes().fnm_links, fabric.switch_count());
    EXPECT_EQ(subnet.planes().fnm_systems, 6u);
    EXPECT_EQ(subnet.planes().contradictions, 0u);
    for (const FnmEnd& end : fabric.fnm_ends()) {
      const std::uint8_t port = fabric.port(end.port).num.value();
      const SwitchId sw(fabric.port(end.port).node.value());
      EXPECT_EQ(std::ranges::count(subnet.managed.emulated().lft(sw), port), 0)
          << describe(fabric, end.port);
      EXPECT_FALSE(subnet.managed.emulated().carries_data(end.port));
    }
    if (all_ports) expect_managed(subnet.managed);
  }
}

TEST(FnmOfASubnet, HasNoFnmLinksInMulticastTrees) {
  SubnetWithRings subnet(true);
  FiledGroup group;
  group.mlid = Lid(0xC000);
  const Fabric& fabric = subnet.managed.fabric();
  for (const EndportId host : fabric.hosts())
    group.members.push_back(fabric.port(fabric.endport(host).port).guid);
  subnet.managed.sm().set_multicast_groups({group});
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_TRUE(subnet.managed.sm().snapshot()->verdict.multicast.ok());
  for (const FnmEnd& end : fabric.fnm_ends())
    EXPECT_EQ(std::ranges::count(subnet.managed.emulated().multicast_ports(
                                     SwitchId(fabric.port(end.port).node.value()), Lid(0xC000)),
                                 fabric.port(end.port).num),
              0);
}

TEST(FnmOfASubnet, IsReadOnceAndWrittenNever) {
  SubnetWithRings subnet(true);
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& fabric = subnet.managed.fabric();
  const std::uint64_t switch_ports = fabric.switch_count() * 6u;
  EXPECT_EQ(subnet.gets_of_extended_ports(), switch_ports);
  subnet.managed.emulated().reset_counters();
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.gets_of_extended_ports(), fabric.fnm_ends().size())
      << "whether FNM ports still are FNM ports must be read again";
  const auto& sets = subnet.managed.emulated().counters().sets;
  EXPECT_TRUE(std::ranges::all_of(sets, [](std::uint64_t count) { return count == 0; }));
  EXPECT_EQ(subnet.managed.emulated().counters().requests(Method::kGet, kHierarchyInfo), 0u);
}

TEST(FnmOfASubnet, IsNotReadWithoutAnnouncement) {
  SubnetWithRings subnet(true, fnm_options(), "fattree2:k=4,planes=4");
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.gets_of_extended_ports(), 0u);
}

TEST(FnmOfASubnet, ACutRingIsReportedUntilTheCableReturns) {
  SubnetWithRings subnet(true);
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& fabric = subnet.managed.fabric();
  const FnmEnd cut = fabric.fnm_ends()[0];
  subnet.managed.emulated().cut_cable(cut.port);
  subnet.managed.run_for(30 * kSecond);
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.states(), std::vector(4, PlaneState::kVerified));
  const auto& findings = subnet.planes().fnm_ring_findings;
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].node, fabric.node(fabric.port(cut.port).node).node_guid);
  EXPECT_EQ(findings[0].ports_without_link,
            std::vector<std::uint8_t>{fabric.port(cut.port).num.value()});
  EXPECT_EQ(findings[1].node, fabric.node(fabric.port(cut.peer).node).node_guid);
  const auto& warnings = subnet.managed.report().warnings;
  EXPECT_EQ(std::ranges::count(warnings, describe(findings[0])), 1);
  subnet.managed.emulated().restore_cable(cut.port);
  subnet.managed.run_for(30 * kSecond);
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_TRUE(subnet.planes().fnm_ring_findings.empty());
  EXPECT_EQ(subnet.planes().fnm_links, fabric.switch_count());
}

/// A cable that is missing from the start: the ports without a link are read too.
TEST(FnmOfASubnet, ARingThatWasNeverClosedIsReported) {
  ManagedSubnet managed(fabric_of(kRings), fnm_options());
  managed.emulated().cut_cable(managed.fabric().fnm_ends()[0].port);
  managed.use_all_ports();
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_EQ(managed.report().planes.fnm_ring_findings.size(), 2u);
  EXPECT_EQ(managed.report().planes.fnm_ring_findings[0].ports_without_link.size(), 1u);
}

/// The manager sends by one port only. In its plane only the switch at this port is left, but FNM
/// links connect this switch with its system.
TEST(FnmOfASubnet, OtherPlanesStayManagedWhenThePlaneOfTheManagerFails) {
  SubnetWithRings subnet(false);
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& fabric = subnet.managed.fabric();
  const SwitchId own = fabric.endport(subnet.managed.manager_endport()).sw;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (SwitchId(s) != own && fabric.node(SwitchId(s)).description.starts_with("plane1-"))
      subnet.managed.emulated().switch_off_node(NodeId(s));
  subnet.managed.run_for(60 * kSecond);
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_TRUE(subnet.managed.report().up) << subnet.managed.report().error;
  const auto states = subnet.states();
  ASSERT_EQ(states.size(), 4u);
  EXPECT_EQ(std::ranges::count(states, PlaneState::kVerified), 4)
      << "in plane 1 the hosts of one switch are left";
  // A switch that is started again gets its LID and tables by a path over FNM links.
  const auto other = std::ranges::find_if(
      fabric.nodes(), [](const Node& node) { return node.description.starts_with("plane3-leaf"); });
  const NodeId restarted(static_cast<std::uint32_t>(other - fabric.nodes().begin()));
  subnet.managed.emulated().switch_off_node(restarted);
  subnet.managed.run_for(60 * kSecond);
  subnet.managed.emulated().switch_on_node(restarted);
  subnet.managed.run_for(60 * kSecond);
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_TRUE(subnet.managed.report().up) << subnet.managed.report().error;
  EXPECT_EQ(subnet.states(), std::vector(4, PlaneState::kVerified));
  const PortId port0 = fabric.port_id(restarted, PortNum(0));
  EXPECT_NE(subnet.managed.emulated().port_info(port0).lid, kLidNone);
}

/// Whole systems support all attributes, HierarchyInfo only, or nothing; only the first have rings.
TEST(FnmOfASubnet, WithMixedSupportIsBroughtUp) {
  SubnetWithRings subnet(true, fnm_options(PlanarSupport::kMixed));
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.states(), std::vector(4, PlaneState::kVerified));
  EXPECT_EQ(subnet.planes().fnm_systems, 2u);
  EXPECT_EQ(subnet.planes().fnm_links, 8u);
  EXPECT_TRUE(subnet.planes().fnm_ring_findings.empty());
  expect_managed(subnet.managed);
}

/// Without answers, FNM links cannot be recognized: they are cables of the graph, and all planes
/// are one network. The switches are queried again after a pause.
TEST(FnmOfASubnet, WithoutAnswersLinksAreCables) {
  EmulatorOptions options = fnm_options();
  options.extended_ports = ExtendedPorts::kIgnored;
  SubnetWithRings subnet(true, options);
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_TRUE(subnet.managed.report().up) << subnet.managed.report().error;
  EXPECT_EQ(subnet.planes().fnm_ports, 0u);
  EXPECT_EQ(subnet.managed.known().link_count(),
            subnet.managed.fabric().link_count() + subnet.managed.fabric().switch_count());
  const auto& warnings = subnet.managed.report().warnings;
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& warning) {
    return warning.starts_with("ExtendedPortInfo: ") &&
           warning.ends_with("are treated as data ports");
  }));
  subnet.managed.emulated().reset_counters();
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.gets_of_extended_ports(), 0u) << "the pause has not ended";
  const std::uint64_t sweeps = subnet.managed.sm().heavy_sweeps();
  subnet.managed.run_for(std::chrono::minutes(4));
  EXPECT_GT(subnet.gets_of_extended_ports(), 0u) << "the pause has ended";
  EXPECT_EQ(subnet.managed.sm().heavy_sweeps(), sweeps) << "updates query the switches";
}

/// After the pause, an update reads the ports, and FNM ports cause a heavy sweep. Switches that do
/// not answer HierarchyInfo are queried about FNM ports too.
TEST(FnmOfASubnet, IsReadAgainAfterLostAnswers) {
  for (const AttributeId lost : {AttributeId::kMlnxExtendedPortInfo, kHierarchyInfo}) {
    SubnetWithRings subnet(true);
    subnet.managed.emulated().set_filter([lost](const Smp& smp, NodeId, NodeId) {
      return smp.attribute == lost ? EmulatedFabric::Delivery::kLose
                                   : EmulatedFabric::Delivery::kPass;
    });
    ASSERT_TRUE(subnet.managed.settle());
    const bool is_read = lost == kHierarchyInfo;
    EXPECT_EQ(subnet.planes().fnm_links, is_read ? subnet.managed.fabric().switch_count() : 0u);
    subnet.managed.emulated().set_filter({});
    subnet.managed.run_for(std::chrono::minutes(2));
    ASSERT_TRUE(subnet.managed.settle());
    EXPECT_EQ(subnet.planes().fnm_links, subnet.managed.fabric().switch_count());
    EXPECT_EQ(subnet.states(), std::vector(4, PlaneState::kVerified));
    expect_managed(subnet.managed);
  }
}

TEST(FnmOfASubnet, ThatRefusesTheAttributeIsNotQueriedAgain) {
  EmulatorOptions options = fnm_options();
  options.extended_ports = ExtendedPorts::kRefused;
  SubnetWithRings subnet(true, options);
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.gets_of_extended_ports(), subnet.managed.fabric().switch_count());
  subnet.managed.run_for(std::chrono::hours(2));
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.gets_of_extended_ports(), subnet.managed.fabric().switch_count());
}

/// A busy answer about another port does not clear the refusal.
TEST(FnmOfASubnet, ThatRefusesOnePortAndIsBusyForAnotherIsNotQueriedAgain) {
  ManagedSubnet managed(fabric_of(kRings), fnm_options());
  std::unique_ptr<CorruptingWire> wire;
  managed.between = [&](SmpTransport& own) -> SmpTransport& {
    return *(wire = std::make_unique<CorruptingWire>(own, [](Smp& answer) {
               if (answer.attribute != AttributeId::kMlnxExtendedPortInfo) return false;
               if (answer.modifier == 2) answer.status = mad_status::kMethodAttributeUnsupported;
               if (answer.modifier == 3) answer.status = mad_status::kBusy;
               return false;
             }));
  };
  managed.use_all_ports();
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(
      managed.emulated().counters().requests(Method::kGet, AttributeId::kMlnxExtendedPortInfo), 0u);
}

/// A switch that is replaced by one without the attributes causes no further updates.
TEST(FnmOfASubnet, ThatIsNoLongerAnnouncedIsNotRetried) {
  const Fabric fabric = fabric_of(kRings);
  Observed observed;
  observed.fabric = fabric;
  observed.nodes.resize(fabric.node_count());
  AnnouncedCapabilities announced;
  PlanePauses pauses;
  const Guid sw = fabric.node(SwitchId(3)).node_guid;
  pauses.fnm.failed(sw, TimeNs(0));
  EXPECT_TRUE(fnm_ports_to_retry(observed, pauses.fnm, TimeNs(0)).empty());
  const TimeNs later = std::chrono::minutes(1);
  EXPECT_EQ(fnm_ports_to_retry(observed, pauses.fnm, later), std::set{sw});
  PlaneReading reading(observed, {}, announced, pauses, later);
  EXPECT_TRUE(reading.is_empty());
  std::vector<std::string> warnings;
  EXPECT_TRUE(std::move(reading).take(warnings).empty());
  EXPECT_TRUE(fnm_ports_to_retry(observed, pauses.fnm, later).empty());
}

/// The directed path to the port contains an FNM link.
TEST(DirectedPathsOverFnmLinks, IdentifyThePortsOfHealthFindings) {
  Observed observed;
  observed.fabric = fabric_of(kRings);
  const Fabric& fabric = observed.fabric;
  observed.nodes.resize(fabric.node_count());
  const FnmEnd link = fabric.fnm_ends()[0];
  observed.self = fabric.port(link.port).node;
  const Port& far = fabric.port(link.peer);
  const DirectedPath across = longer({}, fabric.port(link.port).num);
  const auto at_fnm_port = health_port_at(observed, across);
  ASSERT_TRUE(at_fnm_port.has_value());
  EXPECT_EQ(at_fnm_port->name, fabric.node(far.node).description);
  EXPECT_TRUE(at_fnm_port->is_switch);
  const auto found = health_port_at(observed, longer(across, PortNum(1)));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->near, (CableEnd{fabric.node(far.node).node_guid, PortNum(1)}));
}

/// A secret SM_Key is sent only to ports in allowed_sm_guids. The manager identifies the sender of
/// a request by the return path in the request, which contains an FNM link.
TEST(DirectedPathsOverFnmLinks, IdentifyManagersThatHandOver) {
  Managers managers(fabric_of("fattree2:k=4,planes=2,fnm=1"), fnm_options());
  constexpr std::array<unsigned, 2> kPorts{0, 3};  // host 1 in plane 1, host 2 in plane 2
  const Fabric& fabric = managers.fabric();
  const auto options = [&](std::uint8_t priority) {
    SmOptions listed = managers.options(priority);
    listed.sm_key = 0x5EC2E7;
    for (const unsigned port : kPorts) {
      const Endport& endport = fabric.endport(EndportId(fabric.switch_count() + port));
      listed.allowed_sm_guids.push_back(fabric.port(endport.port).guid);
    }
    std::ranges::sort(listed.allowed_sm_guids);
    return listed;
  };
  const std::size_t first = managers.start(kPorts[0], options(1));
  ASSERT_TRUE(managers.run_until_only_master(first));
  const std::size_t second = managers.start(kPorts[1], options(8));
  ASSERT_TRUE(managers.run_until([&] { return managers.state(second) == SmState::kStandby; }));
  managers.sm(first).request_heavy_sweep("test");
  ASSERT_TRUE(managers.run_until_only_master(second));
  EXPECT_EQ(managers.state(first), SmState::kStandby);
  managers.prioritize(first, 12);
  managers.sm(second).request_heavy_sweep("test");
  EXPECT_TRUE(managers.run_until_only_master(first));
  EXPECT_EQ(managers.state(second), SmState::kStandby);
}

TEST(FnmPorts, StayKnownWhenHierarchyInfoIsForgotten) {
  PlanarDevice device;
  device.ports[1] = {};
  device.positions[1] = {};
  device.fnm[5] = {.is_fnm = true};
  device.refuses_extended_ports = device.is_complete = true;
  PlanarDevice kept;
  kept.fnm[5] = {.is_fnm = true};
  kept.refuses_extended_ports = true;
  forget_hierarchy(device);
  EXPECT_EQ(device, kept);
}

/// Links of ports that the devices no longer report as FNM ports are cables again; unknown ports
/// and CAs are ignored.
TEST(SeparateFnmLinks, FollowsTheBitsOfThePorts) {
  const Fabric fabric = fabric_of(kRings);
  Observed observed;
  observed.fabric = with_fnm_ports(fabric, {});
  PlanarDevices devices;
  for (const FnmEnd& end : fabric.fnm_ends()) {
    const Port& port = fabric.port(end.port);
    devices[fabric.node(port.node).node_guid].fnm[port.num.value()] = {.is_fnm = true};
  }
  devices[Guid(1)].fnm[1] = {.is_fnm = true};
  devices[fabric.node(NodeId(0)).node_guid].fnm[200] = {.is_fnm = true};
  devices[fabric.node(NodeId(fabric.node_count() - 1)).node_guid].fnm[1] = {.is_fnm = true};
  separate_fnm_links(observed, devices);
  EXPECT_TRUE(std::ranges::equal(observed.fabric.fnm_ends(), fabric.fnm_ends()));
  const FnmEnd first = fabric.fnm_ends()[0];
  for (const PortId port : {first.port, first.peer}) {
    const Port& end = fabric.port(port);
    devices[fabric.node(end.node).node_guid].fnm[end.num.value()] = {};
  }
  separate_fnm_links(observed, devices);
  EXPECT_EQ(observed.fabric.port(first.port).peer, first.peer);
  EXPECT_EQ(observed.fabric.link_count(), fabric.link_count() + 1);
}

}  // namespace
}  // namespace weft
