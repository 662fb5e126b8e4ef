// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabrics of several planes: bring-up through the ports of the manager's CA in each, and the loss
// of a plane.
#include <gtest/gtest.h>

#include <algorithm>

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
    for (const PlaneVerdict& plane : plane_verdicts(snapshot->fabric, snapshot->verdict))
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
  /// Runs until the states are those; false after 5 minutes.
  bool becomes(const std::vector<PlaneState>& wanted) {
    for (unsigned second = 0; second < 300; ++second) {
      managed.run_for(kSecond);
      if (managed.sm().settled() && managed.sm().snapshot() && states() == wanted) return true;
    }
    return false;
  }
  /// Each CA port has the LID of the manager's port in its own plane as that of the manager.
  void expect_managers_in_each_plane() {
    const Fabric& known = managed.known();
    const Planes planes = find_planes(known);
    const NodeId own = *known.find_node(managed.fabric().node(managed.seat_node()).node_guid);
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

TEST(PlanesOfASubnet, AreAllBroughtUpByTheManagersPorts) {
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

/// Any of them, the plane of the manager's first port included.
TEST(PlanesOfASubnet, TheOthersStayInUseWhenOneFails) {
  for (const unsigned lost : {1u, 3u}) {
    SubnetWithPlanes subnet;
    ASSERT_TRUE(subnet.managed.settle());
    subnet.switch_plane(lost, false);
    std::vector<PlaneState> left(4, kVerified);
    left[lost - 1] = kDown;
    EXPECT_TRUE(subnet.becomes(left)) << lost;
    EXPECT_TRUE(subnet.managed.report().up) << subnet.managed.report().error;
    EXPECT_TRUE(subnet.managed.sm().snapshot()->verdict.ok());
    EXPECT_EQ(subnet.managed.sm().own_guid(),
              subnet.managed.fabric()
                  .port(subnet.managed.fabric().endport(subnet.managed.seat()).port)
                  .guid);
    subnet.switch_plane(lost, true);
    EXPECT_TRUE(subnet.becomes(std::vector(4, kVerified))) << lost;
    expect_managed(subnet.managed);
    subnet.expect_managers_in_each_plane();
  }
}

TEST(PlanesOfASubnet, TrapsOfEachPlaneReachTheManager) {
  SubnetWithPlanes subnet;
  ASSERT_TRUE(subnet.managed.settle());
  const Fabric& fabric = subnet.managed.fabric();
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (!fabric.node(SwitchId(s)).description.starts_with("plane3-spine")) continue;
    const Channel& channel = fabric.channels_from(SwitchId(s))[0];
    const auto sweeps = subnet.managed.sm().heavy_sweeps();
    subnet.managed.emulated().cut_cable(fabric.port_id(NodeId(s), channel.from_port));
    subnet.managed.run_for(kSecond * 3);
    EXPECT_GT(subnet.managed.sm().heavy_sweeps(), sweeps) << "before the next light sweep";
    break;
  }
  ASSERT_TRUE(subnet.managed.settle());
  EXPECT_EQ(subnet.managed.known().link_count() + 1, fabric.link_count());
  EXPECT_EQ(subnet.states(), std::vector(4, kVerified));
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
