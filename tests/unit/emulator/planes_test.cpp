// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Planarized devices: the capabilities and attributes that they return, and a manager that sends
// over all ports of its CA.
#include <gtest/gtest.h>

#include "emulator/cables.h"
#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/planes.h"
#include "support/fabric_of.h"
#include "unit/emulator/client.h"

namespace weft {
namespace {

EmulatorOptions planar_as(PlanarSupport support) {
  EmulatorOptions options;
  options.planar = support;
  return options;
}

/// A fabric of two planes; ports 1 and 2 of each CA are cabled to a leaf of plane 1 and of plane 2.
class EmulatedPlanes : public testing::Test {
 protected:
  explicit EmulatedPlanes(PlanarSupport support = PlanarSupport::kAll)
      : emulated(fabric, planar_as(support)), sm(emulated, EndportId(fabric.switch_count())) {}

  const Fabric fabric = fabric_of("fattree2:k=4,planes=2");
  EmulatedFabric emulated;
  Client sm;
};

TEST_F(EmulatedPlanes, HierarchyInfoHasThePlaneOfEachPort) {
  EXPECT_TRUE(has_hierarchy(sm.port_info({1}, 0)));
  EXPECT_TRUE(has_hierarchy(sm.port_info({}, 1)));
  const auto at = [&](const Path& path, unsigned port) {
    const auto answer = sm.get(
        kHierarchyInfo, hierarchy_modifier(0, PortNum(static_cast<std::uint8_t>(port))), path);
    EXPECT_TRUE(answer && answer->status == 0);
    return *plane_place(decode_hierarchy_info(answer->data));
  };
  EXPECT_EQ(at({1}, 3), (PlanePlace{3, 1, 1, 2}));
  EXPECT_EQ(at({1}, 0), std::nullopt) << "port 0 has no plane";
  EXPECT_EQ(at({}, 0), (PlanePlace{1, 0, 1, 2}))
      << "port number 0 is the CA port that received the request";
  EXPECT_EQ(sm.get(kHierarchyInfo, hierarchy_modifier(0, PortNum(5)), {1})->status,
            mad_status::kInvalidField);
  EXPECT_EQ(sm.get(kHierarchyInfo, hierarchy_modifier(1, PortNum(1)), {1})->status,
            mad_status::kInvalidField);
}

TEST_F(EmulatedPlanes, CasHaveTwoBlocksOfHierarchyInfo) {
  std::vector<HierarchyInfo> blocks;
  for (const std::uint8_t block : {std::uint8_t{0}, std::uint8_t{1}})
    blocks.push_back(decode_hierarchy_info(
        sm.get(kHierarchyInfo, hierarchy_modifier(block, PortNum(0)), {})->data));
  EXPECT_EQ(blocks[0].index_active, 1);
  EXPECT_EQ(hardware_place(blocks).cage, 1u);
  EXPECT_EQ(hardware_place(blocks).system, fabric.switch_count() + 1);
  EXPECT_EQ(sm.get(kHierarchyInfo, hierarchy_modifier(2, PortNum(0)), {})->status,
            mad_status::kInvalidField);
}

TEST(SplitPorts, OfACageHaveTheCageInHierarchyInfo) {
  const Fabric fabric = fabric_of("fattree2:k=4,split=1");
  EmulatedFabric emulated(fabric, planar_as(PlanarSupport::kAll));
  Client sm(emulated, EndportId(fabric.switch_count()));
  EXPECT_TRUE(has_hierarchy(sm.port_info({1}, 0)));
  for (std::uint8_t port = 1; port <= 4; ++port) {
    const auto info = decode_hierarchy_info(
        sm.get(kHierarchyInfo, hierarchy_modifier(0, PortNum(port)), {1})->data);
    EXPECT_EQ(*plane_place(info), std::nullopt);
    const HardwarePlace place = hardware_place(std::vector{info});
    EXPECT_EQ(place, (HardwarePlace{1, 1, (port + 1u) / 2, port, port % 2 == 0 ? 2u : 1u}));
  }
}

TEST_F(EmulatedPlanes, NodesReportPlaneCapabilities) {
  const auto of = [&](const Path& path) {
    return decode_device_capabilities(sm.get(kGeneralInfo, kCapabilityMaskOfDevice, path)->data);
  };
  EXPECT_TRUE(of({}).has(DeviceCapabilities::kPlaneFilter));
  EXPECT_FALSE(of({1}).has(DeviceCapabilities::kPlaneFilter)) << "a switch has no plane filter";
  EXPECT_TRUE(of({1}).has(DeviceCapabilities::kExtendedNodeInfo));
  const auto node = [&](const Path& path) {
    return decode_extended_node_info(sm.get(kExtendedNodeInfo, 0, path)->data);
  };
  EXPECT_EQ(node({}).kind, ExtendedNodeInfo::kMultiplaneCa);
  EXPECT_EQ(node({}).planes_of_asic, 2);
  EXPECT_EQ(node({1}).planes_of_asic, 1) << "a switch is a separate node in each plane";
}

TEST_F(EmulatedPlanes, CaStoresThePlaneFilterUntilPowerUp) {
  const EndPortPlaneFilter filter{{7, 8, 0, 0}};
  EXPECT_EQ(sm.set(kEndPortPlaneFilter, 0, {}, encode(filter))->status, 0);
  const auto read = [&] {
    return decode_end_port_plane_filter(sm.get(kEndPortPlaneFilter, 0, {})->data);
  };
  EXPECT_EQ(read(), filter);
  EXPECT_EQ(sm.set(kEndPortPlaneFilter, 0, {1}, encode(filter))->status,
            mad_status::kMethodAttributeUnsupported)
      << "a switch does not support a plane filter";
  const NodeId host(fabric.switch_count());
  emulated.switch_off_node(host);
  emulated.switch_on_node(host);
  emulated.run_for(std::chrono::seconds(1));
  EXPECT_EQ(read(), EndPortPlaneFilter{});
}

TEST_F(EmulatedPlanes, AManagerWithOnePortReachesOnePlane) {
  EXPECT_TRUE(sm.get(AttributeId::kNodeInfo, 0, {1}));
  EXPECT_FALSE(sm.get(AttributeId::kNodeInfo, 0, {2}));
}

TEST(PlanarEmulation, ManagerOnAllPortsOfACaReachesEachPlane) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2");
  EmulatedFabric emulated(fabric);
  SmpTransport& sm = emulated.attach_to_all_ports(EndportId(fabric.switch_count()));
  for (const unsigned port : {1u, 2u}) {
    ASSERT_TRUE(sm.send(directed(Method::kGet, AttributeId::kNodeDescription, 0, {port})));
    sm.wait_until(emulated.clock().now() + kPatience);
    const auto answer = sm.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(decode_node_description(answer->data)->text,
              "plane" + std::to_string(port) + "-leaf-1");
  }
}

class SilentPlanes : public EmulatedPlanes {
 protected:
  SilentPlanes() : EmulatedPlanes(PlanarSupport::kSilent) {}
};

TEST_F(SilentPlanes, HierarchyInfoIsAnnouncedButNotAnswered) {
  EXPECT_TRUE(has_hierarchy(sm.port_info({1}, 0)));
  EXPECT_FALSE(sm.get(kHierarchyInfo, hierarchy_modifier(0, PortNum(1)), {1}));
}

/// The FNM ports of systems with an even GUID are mission ports. SMPs pass the links in INIT.
TEST(EmulatedFnmPorts, AreAnnouncedAndJoinThePlanesOfASystem) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2,fnm=1");
  EmulatedFabric emulated(fabric, planar_as(PlanarSupport::kAll));
  Client sm(emulated, EndportId(fabric.switch_count()));
  const auto fnm_at = [&](const Path& path, std::uint32_t port) {
    const auto answer = sm.get(AttributeId::kMlnxExtendedPortInfo, port, path);
    EXPECT_TRUE(answer && answer->status == mad_status::kGood);
    return decode_fnm_port(answer->data);
  };
  EXPECT_TRUE(decode_device_capabilities(sm.get(kGeneralInfo, kCapabilityMaskOfDevice, {1})->data)
                  .has(DeviceCapabilities::kExtendedPortInfo));
  EXPECT_EQ(fnm_at({1}, 1), FnmPort{}) << "a data port";
  const auto node = [&](const Path& path) {
    return *decode_node_info(sm.get(AttributeId::kNodeInfo, 0, path)->data);
  };
  const auto system = [&](const Path& path) { return node(path).system_guid.value(); };
  const Path leaf{1}, next{1, 3}, other{1, 5};
  EXPECT_EQ(fnm_at(leaf, 5).is_fnm, system(leaf) % 2 == 1);
  EXPECT_EQ(fnm_at(leaf, 5).is_mission_port, system(leaf) % 2 == 0);
  EXPECT_NE(system(next), system(leaf));
  EXPECT_EQ(system(other), system(leaf)) << "port 5 is connected with the other plane";
  EXPECT_NE(node(other).node_guid, node(leaf).node_guid);
  EXPECT_EQ(sm.port_info(leaf, 5).state, PortState::kInit);
  // A Set cannot change the bits.
  SmpData data = sm.get(AttributeId::kMlnxExtendedPortInfo, 5, leaf)->data;
  set_fnm_port(data, {});
  EXPECT_TRUE(sm.set(AttributeId::kMlnxExtendedPortInfo, 5, leaf, data));
  EXPECT_TRUE(fnm_at(leaf, 5).carries_management());
}

TEST(EmulatedFnmPorts, AreAbsentWithoutSupport) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2,fnm=1");
  for (const auto support : {PlanarSupport::kNone, PlanarSupport::kSilent}) {
    EmulatedFabric emulated(fabric, planar_as(support));
    for (const FnmEnd& end : fabric.fnm_ends()) {
      EXPECT_EQ(emulated.cable_end(end.port), kNoPort);
      EXPECT_EQ(emulated.port_info(end.port).state, PortState::kDown);
    }
  }
}

TEST(EmulatedFnmPorts, HaveCablesThatCanBeCut) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2,fnm=1");
  EmulatedFabric emulated(fabric, planar_as(PlanarSupport::kAll));
  const FnmEnd end = fabric.fnm_ends()[0];
  const Port& port = fabric.port(end.port);
  const auto found = find_cabled_port(emulated, port.node, port.num.value());
  ASSERT_TRUE(found && *found == end.port);
  emulated.cut_cable(*found);
  EXPECT_EQ(cut_cables(emulated), std::vector{std::min(end.port, end.peer)});
  EXPECT_EQ(emulated.port_info(end.peer).state, PortState::kDown);
}

}  // namespace
}  // namespace weft
