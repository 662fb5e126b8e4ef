// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics of several planes: bring-up through the port of the manager's CA in each plane, the loss
// of a plane, the attributes of planarized devices, and aggregated ports.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/port_guids.h"
#include "ib/notice.h"
#include "ib/vendor/planes.h"
#include "ib/vendor/vports.h"
#include "sm/discovery/discovered.h"
#include "sm/lids/guid2lid.h"
#include "sm/partitions/partitions.h"
#include "sm/planes/aggregated_ports.h"
#include "sm/planes/plane_reading.h"
#include "support/full_size.h"
#include "support/managed_subnet.h"
#include "verify/planes/plane_verdicts.h"

namespace weft {
namespace {

class SubnetWithPlanes {
 public:
  explicit SubnetWithPlanes(const std::string& spec = "fattree2:k=4,planes=4",
                            const EmulatorOptions& emulator = {})
      : managed(fabric_of(spec), emulator) {
    managed.use_all_ports();
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
  void switch_plane(unsigned plane, bool on) {
    const Fabric& fabric = managed.fabric();
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const std::string name = "plane" + std::to_string(plane) + "-";
      if (!fabric.node(SwitchId(s)).description.starts_with(name)) continue;
      if (on)
        managed.emulated().switch_on_node(NodeId(s));
      else
        managed.emulated().switch_off_node(NodeId(s));
    }
  }
  /// Runs the manager until the planes have the states `wanted`. Returns false if that takes more
  /// than 5 minutes.
  bool becomes(const std::vector<PlaneState>& wanted) {
    for (unsigned second = 0; second < 300; ++second) {
      managed.run_for(kSecond);
      if (managed.sm().settled() && managed.sm().snapshot() && states() == wanted) return true;
    }
    return false;
  }
  /// Expects that MasterSMLID of each CA port is the LID of the manager's port in the same plane.
  void expect_managers_in_each_plane() {
    const Fabric& known = managed.known();
    const Planes planes = find_planes(known);
    const NodeId own = *known.find_node(managed.fabric().node(managed.manager_node()).node_guid);
    for (std::uint32_t e = known.switch_count(); e < known.endport_count(); ++e) {
      const Endport& endport = known.endport(EndportId(e));
      const PortNum num = known.port(endport.port).num;
      const EndportId manager = known.endport_at(known.port_id(own, num));
      ASSERT_NE(manager, kNoEndport);
      const auto real = managed.fabric().find_endport(known.port(endport.port).guid);
      ASSERT_TRUE(real);
      EXPECT_EQ(managed.emulated().port_info(managed.fabric().endport(*real).port).master_sm_lid,
                known.endport(manager).lid);
    }
  }

  ManagedSubnet managed;
};

using enum PlaneState;

TEST(PlanesOfASubnet, AreAllBroughtUpByPortsOfTheManager) {
  SubnetWithPlanes subnet;
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.managed.known().switch_count(), 24u);
  EXPECT_EQ(subnet.managed.known().link_count(), subnet.managed.fabric().link_count());
  EXPECT_EQ(subnet.states(), std::vector(4, kVerified));
  expect_managed(subnet.managed);
  subnet.expect_managers_in_each_plane();
}

TEST(PlanesOfASubnet, ASecondSweepWritesNothing) {
  SubnetWithPlanes subnet;
  ASSERT_TRUE(subnet.managed.settle());
  subnet.managed.emulated().reset_counters();
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.managed.settle());
  const auto& sets = subnet.managed.emulated().counters().sets;
  EXPECT_TRUE(std::ranges::all_of(sets, [](std::uint64_t count) { return count == 0; }));
}

/// Each plane may fail, the plane of the manager's first port included.
TEST(PlanesOfASubnet, OtherPlanesStayInUseWhenOnePlaneFails) {
  for (const unsigned lost : {1u, 3u}) {
    SubnetWithPlanes subnet;
    ASSERT_TRUE(subnet.managed.settle());
    subnet.switch_plane(lost, false);
    std::vector<PlaneState> expected(4, kVerified);
    expected[lost - 1] = kDown;
    EXPECT_TRUE(subnet.becomes(expected)) << lost;
    EXPECT_TRUE(subnet.managed.report().up) << subnet.managed.report().error;
    EXPECT_TRUE(subnet.managed.sm().snapshot()->verdict.ok());
    EXPECT_EQ(subnet.managed.sm().own_guid(),
              subnet.managed.fabric()
                  .port(subnet.managed.fabric().endport(subnet.managed.manager_endport()).port)
                  .guid);
    subnet.switch_plane(lost, true);
    EXPECT_TRUE(subnet.becomes(std::vector(4, kVerified))) << lost;
    expect_managed(subnet.managed);
    subnet.expect_managers_in_each_plane();
  }
}

TEST(PlanesOfASubnet, ATrapOfAnotherPlaneCausesASweep) {
  SubnetWithPlanes subnet;
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& fabric = subnet.managed.fabric();
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (!fabric.node(SwitchId(s)).description.starts_with("plane3-spine")) continue;
    const Channel& channel = fabric.channels_from(SwitchId(s))[0];
    const auto sweeps = subnet.managed.sm().heavy_sweeps();
    subnet.managed.emulated().cut_cable(fabric.port_id(NodeId(s), channel.from_port));
    subnet.managed.run_for(kSecond * 3);
    EXPECT_GT(subnet.managed.sm().heavy_sweeps(), sweeps)
        << "the trap must cause a sweep before the next light sweep";
    break;
  }
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.managed.known().link_count() + 1, fabric.link_count());
  EXPECT_EQ(subnet.states(), std::vector(4, kVerified));
}

/// One group has ports of all planes: each plane has its own tree, and no warning reports missing
/// links between planes.
TEST(PlanesOfASubnet, HaveSeparateTreesForAGroup) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=2");
  const Fabric& fabric = subnet.managed.fabric();
  std::vector<Guid> ports;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    ports.push_back(fabric.port(fabric.endport(EndportId(e)).port).guid);
  FiledGroup group;
  group.mlid = Lid(0xC000);
  group.members = ports;
  subnet.managed.sm().set_multicast_groups({group});
  ASSERT_TRUE(subnet.managed.settle());
  const MulticastVerdict& verdict = subnet.managed.sm().snapshot()->verdict.multicast;
  EXPECT_TRUE(verdict.ok());
  const std::size_t in_a_plane = ports.size() / 2;
  EXPECT_EQ(verdict.copies, 2 * in_a_plane * (in_a_plane - 1));
  EXPECT_TRUE(subnet.managed.report().warnings.empty());
}

EmulatorOptions planar(PlanarSupport support) {
  EmulatorOptions options;
  options.planar = support;
  return options;
}

std::uint64_t requests(ManagedSubnet& managed, AttributeId attribute) {
  const EmulatorCounters& counters = managed.emulated().counters();
  return counters.requests(Method::kGet, attribute) + counters.requests(Method::kSet, attribute);
}

TEST(PlanarDevices, AreQueriedOnce) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=4", planar(PlanarSupport::kAll));
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& fabric = subnet.managed.fabric();
  const std::uint64_t ca_ports = 4u * fabric.ca_count();  // with a second block each
  EXPECT_EQ(requests(subnet.managed, kHierarchyInfo),
            2u * fabric.link_count() + fabric.switch_count() + ca_ports);
  EXPECT_EQ(requests(subnet.managed, kGeneralInfo), fabric.node_count());
  EXPECT_EQ(requests(subnet.managed, kExtendedNodeInfo), fabric.node_count());
  EXPECT_EQ(requests(subnet.managed, kEndPortPlaneFilter), 0u);
  const PlaneReport& report = subnet.managed.report().planes;
  EXPECT_EQ(report.devices, fabric.node_count());
  EXPECT_EQ(report.answering, fabric.node_count());
  EXPECT_EQ(report.ports, 2u * fabric.link_count());
  EXPECT_EQ(report.multiplane_cas, fabric.ca_count());
  EXPECT_EQ(report.stated, 4u);
  EXPECT_EQ(report.contradictions, 0u);
  EXPECT_TRUE(subnet.managed.report().warnings.empty()) << subnet.managed.report().warnings[0];
  subnet.managed.emulated().reset_counters();
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.managed.settle());
  for (const AttributeId attribute : kPlaneAttributes)
    EXPECT_EQ(requests(subnet.managed, attribute), 0u);
  EXPECT_EQ(subnet.managed.report().planes.ports, 2u * fabric.link_count());
}

/// Trap 1144 with these flags from a port of a CA.
Smp vport_change_of(ManagedSubnet& managed, EndportId sender, std::uint16_t flags) {
  TrapVportChange change;
  change.lid = managed.known().endport(sender).lid;
  change.other_local_changes = true;
  change.change_flags = flags;
  Notice notice;
  notice.generic = false;
  notice.type = NoticeType::kInformational;
  notice.issuer_lid = change.lid;
  notice.details = encode(change);
  Smp trap;
  trap.mgmt_class = MgmtClass::kSmpLidRouted;
  trap.method = Method::kTrap;
  trap.attribute = AttributeId::kNotice;
  trap.slid = change.lid;
  trap.dlid = managed.sm().snapshot()->sm_lid();
  trap.data = encode(notice);
  return trap;
}

TEST(PlanarDevices, AreReadAgainAfterATrapAboutTheirHierarchy) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=4", planar(PlanarSupport::kAll));
  ManagedSubnet& managed = subnet.managed;
  ASSERT_TRUE(managed.settle());
  const PlanarDevices before = *managed.sm().snapshot()->planar;
  // The port of the last CA in plane 1, from which packets reach the manager's first port.
  const EndportId sender(managed.fabric().endport_count() - 4);
  SmpTransport& wire = managed.emulated().attach(sender, false);
  const Guid changed = managed.fabric().node(managed.fabric().endport(sender).node).node_guid;
  const auto sweeps = managed.sm().heavy_sweeps();
  std::uint64_t from_others = 0;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    from_others += smp.attribute == kHierarchyInfo && smp.method == Method::kGet &&
                   managed.fabric().node(to).node_guid != changed;
    return EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().reset_counters();
  ASSERT_TRUE(wire.send(vport_change_of(managed, sender, TrapVportChange::kNodeDescription)));
  managed.run_for(3 * kSecond);
  EXPECT_EQ(requests(managed, kHierarchyInfo), 0u);
  ASSERT_TRUE(wire.send(vport_change_of(managed, sender, TrapVportChange::kHierarchy)));
  managed.run_for(3 * kSecond);
  EXPECT_EQ(requests(managed, kHierarchyInfo), 2u * 4) << "two blocks of each port";
  EXPECT_EQ(from_others, 0u);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  EXPECT_EQ(*managed.sm().snapshot()->planar, before);
}

TEST(PlanarDevices, StateThePositionsOfTheirPorts) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=2", planar(PlanarSupport::kAll));
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& known = subnet.managed.known();
  const PlanarDevices& devices = *subnet.managed.sm().snapshot()->planar;
  const auto& leaf = devices.at(known.node(NodeId(0)).node_guid).positions;
  EXPECT_EQ(leaf.size(), 5u) << "4 ports, and port 0";
  EXPECT_EQ(leaf.at(3), (HardwarePlace{{}, 1, 3, 3, 0}));
  EXPECT_EQ(leaf.at(0).system, 1u);
  const std::uint32_t ca = known.node_count() - 1;
  const auto& host = devices.at(known.node(NodeId(ca)).node_guid).positions;
  EXPECT_EQ(host.size(), 2u);
  EXPECT_EQ(host.at(2).cage, 1u);
  EXPECT_EQ(host.at(2).system, ca + 1) << "block 1";
}

/// Devices without planes state the cages of split ports.
TEST(PlanarDevices, StateTheCagesOfSplitPortsWithoutPlanes) {
  ManagedSubnet managed(fabric_of("fattree2:k=4,split=1"), planar(PlanarSupport::kAll));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().warnings.empty()) << managed.report().warnings[0];
  const PlanarDevices& devices = *managed.sm().snapshot()->planar;
  EXPECT_EQ(devices.size(), managed.fabric().node_count());
  const auto& leaf = devices.at(managed.known().node(NodeId(0)).node_guid);
  EXPECT_TRUE(leaf.ports.empty());
  EXPECT_EQ(leaf.positions.at(4), (HardwarePlace{1, 1, 2, 4, 2}));
  EXPECT_EQ(managed.report().planes.answering, devices.size());
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(requests(managed, kHierarchyInfo), 0u);
}

/// A device that does not answer for port 0 and for the second block keeps its planes.
TEST(PlanarDevices, WithoutAnswersAboutPositionsHavePlanes) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=2", planar(PlanarSupport::kAll));
  subnet.managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    const bool is_switch = subnet.managed.fabric().is_switch(to);
    const bool is_lost = smp.attribute == kHierarchyInfo && smp.method == Method::kGet &&
                         (is_switch ? (smp.modifier & 0xFF) == 0 : smp.modifier >> 8 != 0);
    return is_lost ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.managed.report().planes.ports, 2u * subnet.managed.fabric().link_count());
  EXPECT_FALSE(subnet.managed.report().warnings.empty());
  EXPECT_NE(subnet.managed.report().warnings[0].find("position of the port is incomplete"),
            std::string::npos);
  subnet.managed.emulated().reset_counters();
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(requests(subnet.managed, kHierarchyInfo), 0u);
}

/// If no device announces planes, the number of SMPs of each attribute and method is that of a
/// fabric without the feature.
TEST(PlanarDevices, CostNoSmpsIfNoDeviceAnnouncesPlanes) {
  const auto counts = [](const std::string& spec, PlanarSupport support) {
    SubnetWithPlanes subnet(spec, planar(support));
    EXPECT_TRUE(subnet.managed.settle());
    subnet.managed.run_for(35 * kSecond);
    EXPECT_TRUE(support == PlanarSupport::kAll || requests(subnet.managed, kGeneralInfo) == 0);
    for (const AttributeId attribute : kPlaneAttributes)
      EXPECT_TRUE(support == PlanarSupport::kAll || requests(subnet.managed, attribute) == 0);
    const EmulatorCounters& counters = subnet.managed.emulated().counters();
    return std::pair(counters.gets, counters.sets);
  };
  EXPECT_EQ(counts("fattree2:k=4", PlanarSupport::kAll),
            counts("fattree2:k=4", PlanarSupport::kNone));
  // Planarized devices have two or four planes, not three.
  EXPECT_EQ(counts("fattree2:k=4,planes=3", PlanarSupport::kAll),
            counts("fattree2:k=4,planes=3", PlanarSupport::kNone));
  auto with = counts("fattree2:k=4,planes=2", PlanarSupport::kAll);
  for (const AttributeId attribute : kPlaneAttributes)
    with.first[EmulatorCounters::slot(attribute)] = 0;
  with.first[EmulatorCounters::slot(kGeneralInfo)] = 0;
  EXPECT_EQ(with, counts("fattree2:k=4,planes=2", PlanarSupport::kNone));
}

/// With one plane down, the cables look like those of CAs with an unused port: only the attributes
/// of the devices show the missing plane.
TEST(PlanarDevices, ReportAMissingPlaneIfOnlyOnePlaneIsLeft) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=2", planar(PlanarSupport::kAll));
  ASSERT_TRUE(subnet.managed.settle());
  subnet.switch_plane(1, false);
  EXPECT_TRUE(subnet.becomes({kDown, kVerified}));
  EXPECT_TRUE(subnet.managed.report().up) << subnet.managed.report().error;
}

/// Of every four devices one has all attributes, one does not announce planes, one has only
/// HierarchyInfo, and one does not respond.
TEST(PlanarDevices, WithMixedSupportAreBroughtUpTogether) {
  for (const auto support : {PlanarSupport::kMixed, PlanarSupport::kSilent}) {
    SubnetWithPlanes subnet("fattree2:k=4,planes=4", planar(support));
    ASSERT_TRUE(subnet.managed.settle());
    EXPECT_EQ(subnet.states(), std::vector(4, kVerified));
    expect_managed(subnet.managed);
    const PlaneReport& report = subnet.managed.report().planes;
    // 24 switches and 8 CAs.
    EXPECT_EQ(report.devices, support == PlanarSupport::kMixed ? 24u : 32u);
    EXPECT_EQ(report.answering, support == PlanarSupport::kMixed ? 16u : 0u);
    EXPECT_EQ(requests(subnet.managed, kExtendedNodeInfo),
              support == PlanarSupport::kMixed ? 8u : 0u)
        << "only devices that announce ExtendedNodeInfo must be queried";
    EXPECT_FALSE(subnet.managed.report().warnings.empty());
    // A device that does not respond is not queried again before its pause ends.
    subnet.managed.emulated().reset_counters();
    subnet.managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(subnet.managed.settle());
    EXPECT_EQ(requests(subnet.managed, kHierarchyInfo), 0u);
  }
}

/// With WEFT_FULL_SIZE 512 hosts and 1,280 switches in four planes; otherwise 8 hosts.
class PlanesOfManyHosts : public ::testing::Test {
 protected:
  void expect_hosts_in_planes(const std::vector<PlaneState>& states) {
    const auto snapshot = subnet.managed.sm().snapshot();
    const auto planes =
        plane_verdicts(snapshot->fabric, snapshot->verdict, snapshot->report.planes.stated);
    ASSERT_EQ(planes.size(), states.size());
    for (std::size_t p = 0; p < states.size(); ++p)
      EXPECT_EQ(planes[p].size.hosts, states[p] == kDown ? 0u : subnet.managed.fabric().ca_count());
    EXPECT_TRUE(snapshot->verdict.ok());
    EXPECT_TRUE(subnet.managed.report().up) << subnet.managed.report().error;
  }

  SubnetWithPlanes subnet{
      at_full_size() ? "fattree3:k=16,hosts=4,planes=4" : "fattree3:k=4,hosts=1,planes=4",
      planar(PlanarSupport::kAll)};
};

TEST_F(PlanesOfManyHosts, OtherPlanesStayInUseWhenOnePlaneFails) {
  EXPECT_EQ(subnet.managed.fabric().ca_count(), at_full_size() ? 512u : 8u);
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.states(), std::vector(4, kVerified));
  expect_hosts_in_planes(std::vector(4, kVerified));
  const auto sets_before = subnet.managed.emulated().counters().sets;
  subnet.managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.managed.emulated().counters().sets, sets_before)
      << "a second sweep must write nothing";
  subnet.switch_plane(1, false);  // the plane of the manager's first port
  const std::vector<PlaneState> without_first{kDown, kVerified, kVerified, kVerified};
  ASSERT_TRUE(subnet.becomes(without_first));
  expect_hosts_in_planes(without_first);
  subnet.switch_plane(1, true);
  ASSERT_TRUE(subnet.becomes(std::vector(4, kVerified)));
  expect_hosts_in_planes(std::vector(4, kVerified));
  expect_managed(subnet.managed);
}

/// According to the attributes of the devices, a cable joins a port of plane 1 with a port of plane
/// 2.
TEST(PlanarDevices, LinksBetweenDifferentPlanesAreReported) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2");
  Observed observed;
  observed.fabric = fabric;
  PlanarDevices devices;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n)).subspan(1)) {
      const std::uint8_t plane = !fabric.is_switch(NodeId(n))    ? port.num.value()
                                 : n < fabric.switch_count() / 2 ? 1
                                                                 : 2;
      devices[fabric.node(NodeId(n)).node_guid].ports[port.num.value()] = {1, 1, plane, 2};
    }
  std::vector<std::string> warnings;
  EXPECT_EQ(check_planes(observed, devices, warnings).contradictions, 0u);
  EXPECT_TRUE(warnings.empty());
  devices[fabric.node(NodeId(0)).node_guid].ports[1].plane = 2;
  EXPECT_EQ(check_planes(observed, devices, warnings).contradictions, 2u);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("expected the same plane"), std::string::npos) << warnings[0];
  EXPECT_EQ(warnings[1],
            "plane 1 by cables: HierarchyInfo of its switches has plane numbers 1, 2, expected one "
            "number");
  EXPECT_EQ(check_planes(observed, devices, warnings).deviations,
            std::vector(warnings.begin(), warnings.begin() + 2));
  warnings.clear();
  devices[fabric.node(NodeId(0)).node_guid].ports[1] = {1, 1, 0, 0};
  EXPECT_EQ(check_planes(observed, devices, warnings).contradictions, 1u);
  EXPECT_NE(warnings[0].find("no plane"), std::string::npos) << warnings[0];
}

std::vector<AggregatedPort> aggregated_ports_of(SubnetWithPlanes& subnet) {
  const auto snapshot = subnet.managed.sm().snapshot();
  return aggregated_ports(snapshot->fabric, *snapshot->planar);
}

/// The switches of two planes belong to one system. An APort of the system has a port in each
/// plane.
TEST(AggregatedPorts, HaveThePortsOfEachPlane) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=2", planar(PlanarSupport::kAll));
  ASSERT_TRUE(subnet.managed.settle());
  const auto aggregated = aggregated_ports_of(subnet);
  const Fabric& known = subnet.managed.known();
  EXPECT_EQ(std::ranges::count(aggregated, false, &AggregatedPort::is_switch), known.ca_count());
  EXPECT_EQ(2 * aggregated.size(), 2u * known.link_count());
  for (const AggregatedPort& aport : aggregated) {
    ASSERT_EQ(aport.ports.size(), 2u);
    EXPECT_EQ(aport.planes, 2u);
    EXPECT_EQ(aport.ports[0].plane, 1u);
    EXPECT_EQ(aport.ports[1].plane, 2u);
    EXPECT_TRUE(aport.planes_without_link().empty());
    const Port& first = known.port(aport.ports[0].port);
    const Port& second = known.port(aport.ports[1].port);
    EXPECT_EQ(known.node(first.node).system_guid, known.node(second.node).system_guid);
    EXPECT_EQ(first.node == second.node, !aport.is_switch);
    EXPECT_EQ(first.num == second.num, aport.is_switch);
  }
  EXPECT_TRUE(count_without_link(aggregated).empty());
}

TEST(AggregatedPorts, IncludeAPortWithoutLink) {
  SubnetWithPlanes subnet("fattree2:k=4,planes=2", planar(PlanarSupport::kAll));
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& fabric = subnet.managed.fabric();
  const EndportId last(fabric.endport_count() - 1);
  subnet.managed.emulated().cut_cable(fabric.endport(last).port);
  ASSERT_TRUE(subnet.becomes({kVerified, kVerified}));
  subnet.managed.run_for(30 * kSecond);
  const std::map<std::uint8_t, std::uint64_t> both_ends{{std::uint8_t{2}, std::uint64_t{2}}};
  EXPECT_EQ(count_without_link(aggregated_ports_of(subnet)), both_ends);
  for (const AggregatedPort& aport : aggregated_ports_of(subnet))
    EXPECT_TRUE(aport.missing.empty());
}

/// An APort of a CA must have all planes that the CA reports. An APort of a system of switches must
/// have the planes of the other APorts of the system.
TEST(AggregatedPorts, ReportMissingPlanesOfTheirDevice) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2");
  const NodeId ca(fabric.node_count() - 1);
  NodeId other(0);  // the switch of plane 2 in the system of switch 0
  for (std::uint32_t s = 1; s < fabric.switch_count(); ++s)
    if (fabric.node(NodeId(s)).system_guid == fabric.node(NodeId(0)).system_guid) other = NodeId(s);
  ASSERT_NE(other, NodeId(0));
  PlanarDevices devices;
  devices[fabric.node(ca).node_guid].ports[2] = {1, 0, 2, 4};
  devices[fabric.node(NodeId(0)).node_guid].ports[1] = {1, 1, 1, 4};
  devices[fabric.node(NodeId(0)).node_guid].ports[2] = {2, 1, 1, 4};
  devices[fabric.node(NodeId(0)).node_guid].ports[3] = {0, 0, 0, 0};  // no plane
  devices[fabric.node(other).node_guid].ports[2] = {2, 2, 2, 4};
  devices[Guid(0x77)].ports[1] = {1, 1, 1, 4};  // not in the fabric
  const auto aggregated = aggregated_ports(fabric, devices);
  ASSERT_EQ(aggregated.size(), 3u);
  EXPECT_EQ(aggregated[0].device, fabric.node(ca).node_guid);
  EXPECT_EQ(aggregated[0].missing, (std::vector<std::uint8_t>{1, 3, 4}));
  EXPECT_EQ(aggregated[1].number, 1u);
  EXPECT_EQ(aggregated[1].missing, std::vector<std::uint8_t>{2});
  EXPECT_EQ(aggregated[2].number, 2u);
  EXPECT_TRUE(aggregated[2].missing.empty());
  EXPECT_EQ(aggregated[2].ports.size(), 2u);
}

/// Ports of a planarized CA may have the same port GUID. Each port has a LID of its own, which is
/// kept by GUID and port number.
class SharedPlaneGuids : public ::testing::Test {
 protected:
  static EmulatorOptions emulator() {
    EmulatorOptions options = planar(PlanarSupport::kAll);
    options.shared_aport_guids = true;
    return options;
  }
  void SetUp() override { ASSERT_TRUE(managed.settle()); }
  /// The endport of a CA in a plane, in the fabric of the manager.
  EndportId endport(unsigned ca, std::uint8_t plane) const {
    const Fabric& known = managed.known();
    return known.endport_at(known.port_id(NodeId(known.switch_count() + ca), PortNum(plane)));
  }
  Guid guid(unsigned ca) const {
    return managed.known().port(managed.known().endport(endport(ca, 1)).port).guid;
  }

  SubnetWithPlanes subnet{"fattree2:k=4,planes=4", emulator()};
  ManagedSubnet& managed = subnet.managed;
};

TEST_F(SharedPlaneGuids, AreManagedWithALidForEachPort) {
  EXPECT_TRUE(managed.report().warnings.empty()) << managed.report().warnings[0];
  expect_managed(managed);
  EXPECT_EQ(subnet.states(), std::vector(4, kVerified));
  EXPECT_EQ(find_endports(managed.known(), guid(3)),
            (std::vector{endport(3, 1), endport(3, 2), endport(3, 3), endport(3, 4)}));
  subnet.switch_plane(1, false);
  EXPECT_TRUE(subnet.becomes({kDown, kVerified, kVerified, kVerified}));
  subnet.switch_plane(1, true);
  EXPECT_TRUE(subnet.becomes(std::vector(4, kVerified)));
  expect_managed(managed);
}

TEST_F(SharedPlaneGuids, KeepTheirLidsInTheFile) {
  const Guid of = guid(3);
  const auto before = managed.emulated().lids();
  std::vector<std::string> warnings;
  const std::string path = managed.cache() / "guid2lid";
  auto filed = read_guid2lid(path, warnings);
  ASSERT_TRUE(filed);
  EXPECT_EQ(warnings, std::vector<std::string>());
  EXPECT_FALSE(filed->contains(of));
  for (std::uint8_t plane = 1; plane <= 4; ++plane)
    EXPECT_EQ(filed->at({of, PortNum(plane)}).base, managed.known().endport(endport(3, plane)).lid);
  (*filed)[{of, PortNum(3)}] = {Lid(0x300), 0};
  ASSERT_TRUE(write_guid2lid(path, *filed));
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.known().endport(endport(3, 3)).lid, Lid(0x300));
  const auto after = managed.emulated().lids();
  unsigned changed = 0;
  for (std::size_t i = 0; i < after.size(); ++i) changed += after[i] != before[i] ? 1 : 0;
  EXPECT_EQ(changed, 1u);
}

TEST_F(SharedPlaneGuids, AMemberOfAPartitionHasThePkeyInEachPlane) {
  PartitionFile file;
  file.partitions.push_back({});
  file.partitions[0].base = 0x123;
  FiledMember member;
  member.kind = MemberKind::kGuid;
  member.guid = guid(2);
  member.membership = Membership::kFull;
  file.partitions[0].members.push_back(member);
  std::vector<std::string> warnings;
  const auto ports = resolve_partitions(file, managed.known(), endport(0, 1), warnings, {}, {});
  for (std::uint32_t e = 0; e < managed.known().endport_count(); ++e) {
    const bool is_member =
        managed.known().endport(EndportId(e)).node == managed.known().endport(endport(2, 1)).node;
    EXPECT_EQ(std::ranges::count(ports[e].members, 0x123, &PortMember::base), is_member ? 1 : 0);
  }
}

/// A CA with two cabled ports that have one GUID.
Observed two_ports_with_one_guid(bool announces_hierarchy) {
  Discovered found;
  found.own_port = 1;
  found.nodes.resize(2);
  for (std::uint32_t n = 0; n < 2; ++n) {
    DiscoveredNode& node = found.nodes[n];
    node.seen.info.type = n == 0 ? NodeType::kCa : NodeType::kSwitch;
    node.seen.info.node_guid = Guid(0x10 + n);
    node.seen.info.port_count = 2;
    node.seen.answered.assign(3, true);
    node.seen.ports.resize(3);
    node.seen.paths.resize(3);
    node.neighbors.resize(3);
    node.port_guids.assign(3, Guid(0x20 + n));
    for (PortInfo& port : node.seen.ports) {
      port.state = PortState::kActive;
      if (announces_hierarchy) port.capability_mask |= cap_mask::kHierarchyInfo;
    }
  }
  found.nodes[0].seen.answered[0] = false;
  found.nodes[0].neighbors[1] = {1, 1};
  found.nodes[1].neighbors[1] = {0, 1};
  found.nodes[1].neighbors[2] = {0, 2};
  return *assemble(std::move(found));
}

TEST(SharedPortGuids, OfOneCaAreAcceptedOnlyIfItsPortsAnnounceHierarchyInfo) {
  const Observed planes = two_ports_with_one_guid(true);
  EXPECT_EQ(planes.shared_guids, std::vector<std::string>());
  EXPECT_EQ(planes.warnings, std::vector<std::string>());
  const Observed others = two_ports_with_one_guid(false);
  ASSERT_EQ(others.shared_guids.size(), 1u);
  EXPECT_NE(others.shared_guids[0].find("port GUID 0x0000000000000020"), std::string::npos);
}

TEST(PlanesOfASubnet, AManagerWithOnePortManagesItsPlane) {
  ManagedSubnet managed(fabric_of("fattree2:k=4,planes=2"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().switch_count(), 6u);
  EXPECT_TRUE(managed.report().up);
}

}  // namespace
}  // namespace weft
