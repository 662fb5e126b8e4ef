// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabric-management (FNM) links in a fabric: they are no cables of the graph, and the rings that
// they form are examined.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/fnm_rings.h"
#include "fabric/generators/spec.h"
#include "fabric/planes.h"
#include "fabric/without.h"
#include "support/fabric_of.h"
#include "support/tiny.h"

namespace weft {
namespace {

FabricBuilder::PortSpec fnm_port() {
  FabricBuilder::PortSpec spec;
  spec.is_fnm = true;
  return spec;
}

Node switch_node(std::uint64_t guid, std::uint64_t system) {
  Node node;
  node.type = NodeType::kSwitch;
  node.node_guid = Guid(guid);
  node.system_guid = Guid(system);
  node.port_count = 4;
  node.description = "asic-" + std::to_string(guid);
  return node;
}

/// Switches 1 to 4 of system 9, and switch 5 of system 5. Ports 1 and 2 are FNM ports.
struct Asics {
  Asics() {
    for (std::uint64_t guid = 1; guid <= 5; ++guid) {
      const auto node = builder.add_node(switch_node(guid, guid == 5 ? 5 : 9));
      for (const std::uint8_t port : {std::uint8_t{1}, std::uint8_t{2}})
        EXPECT_TRUE(builder.describe_port(node, PortNum(port), fnm_port()).has_value());
    }
  }
  /// Connects port 1 of a switch with port 2 of another one.
  void join(unsigned from, unsigned to) {
    EXPECT_TRUE(builder.connect(from - 1, PortNum(1), to - 1, PortNum(2)).has_value());
  }
  FnmRings examine() const { return examine_fnm_rings(*builder.build()); }
  FabricBuilder builder;
};

TEST(FnmLinks, AreNoCablesOfTheGraph) {
  const Fabric without_fnm = fabric_without_lids("fattree2:k=4,planes=4");
  const Fabric fabric = fabric_without_lids("fattree2:k=4,planes=4,fnm=1");
  EXPECT_EQ(fabric.link_count(), without_fnm.link_count());
  EXPECT_EQ(fabric.switch_link_count(), without_fnm.switch_link_count());
  EXPECT_EQ(fabric.channel_count(), without_fnm.channel_count());
  EXPECT_EQ(connected_parts(fabric), connected_parts(without_fnm));
  EXPECT_EQ(find_planes(fabric).of_switch, find_planes(without_fnm).of_switch);
  EXPECT_EQ(fabric.fnm_ends().size(), 2u * fabric.switch_count());
  for (const FnmEnd& end : fabric.fnm_ends()) {
    EXPECT_EQ(fabric.port(end.port).peer, kNoPort);
    EXPECT_EQ(fabric.fnm_end(end.peer)->peer, end.port);
    EXPECT_EQ(fabric.far_end(end.port), end.peer);
    const Node& near = fabric.node(fabric.port(end.port).node);
    const Node& far = fabric.node(fabric.port(end.peer).node);
    EXPECT_EQ(near.system_guid, far.system_guid);
    EXPECT_NE(near.node_guid, far.node_guid);
  }
}

/// One end is sufficient, because the device at the other end possibly does not report FNM ports.
TEST(FnmLinks, NeedAnFnmPortAtOneEnd) {
  FabricBuilder builder;
  const auto a = builder.add_node(switch_node(1, 9)), b = builder.add_node(switch_node(2, 9));
  ASSERT_TRUE(builder.describe_port(a, PortNum(1), fnm_port()).has_value());
  ASSERT_TRUE(builder.connect(a, PortNum(1), b, PortNum(3)).has_value());
  ASSERT_TRUE(builder.connect(a, PortNum(2), b, PortNum(2)).has_value());
  const Fabric fabric = *builder.build();
  EXPECT_EQ(fabric.link_count(), 1u);
  EXPECT_EQ(fabric.fnm_ends().size(), 2u);
  EXPECT_EQ(fabric.port(fabric.port_id(NodeId(1), PortNum(3))).peer, kNoPort);
  EXPECT_NE(fabric.fnm_end(fabric.port_id(NodeId(1), PortNum(3))), nullptr);
}

/// An FNM port with a cable to a CA keeps the cable: otherwise the CA would not be reachable.
TEST(FnmLinks, AreBetweenSwitchesOnly) {
  Tiny tiny(1);
  tiny.hosts(0, 2);
  ASSERT_TRUE(tiny.builder().describe_port(0, PortNum(1), fnm_port()).has_value());
  ASSERT_TRUE(tiny.builder().describe_port(1, PortNum(1), fnm_port()).has_value());
  const Fabric fabric = tiny.build();
  EXPECT_EQ(fabric.link_count(), 2u);
  EXPECT_TRUE(fabric.fnm_ends().empty());
}

TEST(FnmLinks, AreKeptInCopiesOfTheFabric) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2,fnm=1");
  const Fabric same = without(fabric, {}, {});
  EXPECT_TRUE(std::ranges::equal(same.fnm_ends(), fabric.fnm_ends()));
  const FnmEnd first = fabric.fnm_ends()[0];
  const Fabric cut = without(fabric, {}, std::vector{first.port});
  EXPECT_EQ(cut.link_count(), fabric.link_count());
  EXPECT_EQ(*cut.fnm_end(first.port), (FnmEnd{first.port, kNoPort}));
  EXPECT_EQ(*cut.fnm_end(first.peer), (FnmEnd{first.peer, kNoPort}));
}

TEST(FnmLinks, CanBeMarkedInADiscoveredFabric) {
  const Fabric fabric = fabric_of("fattree2:k=4,planes=2,fnm=1");
  const Fabric as_cables = with_fnm_ports(fabric, {});
  EXPECT_EQ(as_cables.link_count(), fabric.link_count() + fabric.switch_count());
  EXPECT_TRUE(as_cables.fnm_ends().empty());
  EXPECT_TRUE(find_planes(as_cables).planes.empty()) << "FNM cables join the planes";
  std::vector<PortId> ports;
  for (const FnmEnd& end : fabric.fnm_ends()) ports.push_back(end.port);
  const Fabric marked = with_fnm_ports(as_cables, ports);
  EXPECT_TRUE(std::ranges::equal(marked.fnm_ends(), fabric.fnm_ends()));
  EXPECT_EQ(marked.link_count(), fabric.link_count());
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e)
    EXPECT_EQ(marked.endport(EndportId(e)).lid, fabric.endport(EndportId(e)).lid);
}

TEST(FnmRings, OfGeneratedFabricsAreClosed) {
  for (const char* planes : {"2", "4"}) {
    const FnmRings rings =
        examine_fnm_rings(fabric_without_lids(std::string("fattree2:k=4,fnm=1,planes=") + planes));
    EXPECT_EQ(rings.systems, 6u);
    EXPECT_EQ(rings.links, 6u * static_cast<unsigned>(planes[0] - '0'));
    EXPECT_TRUE(rings.findings.empty()) << describe(rings.findings[0]);
  }
  EXPECT_EQ(examine_fnm_rings(fabric_without_lids("fattree2:k=4,planes=2")).systems, 0u);
}

TEST(FnmRings, WithAMissingLinkNameBothSwitches) {
  Asics asics;
  asics.join(1, 2);
  asics.join(2, 3);
  asics.join(3, 4);
  const FnmRings rings = asics.examine();
  EXPECT_EQ(rings.systems, 1u) << "system 5 has one switch";
  EXPECT_EQ(rings.links, 3u);
  EXPECT_EQ(rings.ports, 10u);
  ASSERT_EQ(rings.findings.size(), 2u);
  EXPECT_EQ(describe(rings.findings[0]),
            "FNM ring of system 0x0000000000000009 is not closed: 'asic-1' (0x0000000000000001) "
            "port 2 without a link: FNM links in the system: 1, expected 2");
  EXPECT_EQ(rings.findings[1].node, Guid(4));
  EXPECT_EQ(rings.findings[1].ports_without_link, std::vector<std::uint8_t>{1});
}

TEST(FnmRings, ThatAreSeveralInASystemAreFindings) {
  Asics asics;
  for (const auto& [from, to] : {std::pair(1, 2), {2, 1}, {3, 4}, {4, 3}})
    asics.join(static_cast<unsigned>(from), static_cast<unsigned>(to));
  const FnmRings rings = asics.examine();
  ASSERT_EQ(rings.findings.size(), 4u);
  EXPECT_EQ(describe(rings.findings[2]),
            "FNM ring of system 0x0000000000000009 is not closed: 'asic-3' (0x0000000000000003): "
            "FNM links in the system: 2, expected 2; in a ring of 2 switches, expected 4");
}

TEST(FnmRings, WithALinkToAnotherSystemAreFindings) {
  Asics asics;
  for (const auto& [from, to] : {std::pair(1, 2), {2, 3}, {3, 4}, {4, 5}, {5, 1}})
    asics.join(static_cast<unsigned>(from), static_cast<unsigned>(to));
  const FnmRings rings = asics.examine();
  ASSERT_EQ(rings.findings.size(), 2u);
  EXPECT_EQ(describe(rings.findings[1]),
            "FNM ring of system 0x0000000000000009 is not closed: 'asic-4' (0x0000000000000004): "
            "FNM links in the system: 1, expected 2; FNM links to other systems: 1, expected 0");
}

/// Switches without a system image GUID belong to no system, so that no ring is expected.
TEST(FnmRings, AreNotExpectedWithoutASystemImageGuid) {
  FabricBuilder builder;
  const auto a = builder.add_node(switch_node(1, 0)), b = builder.add_node(switch_node(2, 0));
  ASSERT_TRUE(builder.describe_port(a, PortNum(1), fnm_port()).has_value());
  ASSERT_TRUE(builder.connect(a, PortNum(1), b, PortNum(1)).has_value());
  const FnmRings rings = examine_fnm_rings(*builder.build());
  EXPECT_EQ(rings.links, 1u);
  EXPECT_EQ(rings.systems, 0u);
  EXPECT_TRUE(rings.findings.empty());
}

/// A switch that is off is not part of the fabric; its neighbors in the ring are findings.
TEST(FnmRings, WithoutOnePlaneAreNotClosed) {
  const FnmRings rings =
      examine_fnm_rings(fabric_without_lids("fattree2:k=4,planes=4,fnm=1,plane_down=2"));
  EXPECT_EQ(rings.systems, 6u);
  EXPECT_EQ(rings.findings.size(), 12u);
  EXPECT_EQ(rings.findings[0].ports_without_link.size(), 1u);
}

TEST(FnmRings, NeedPlanesOfAnAdapter) {
  for (const auto& [spec, reason] :
       {std::pair("fattree2:k=4,fnm=1", "planes=2 or more with fnm=1"),
        {"multiplane:planes=2,k=4,fnm=1", "fnm=1 only with planes that are ports of an adapter"},
        {"fattree2:k=4,planes=2,radix=253,fnm=1", "at most 254 in all"}}) {
    const auto fabric = generate(spec);
    ASSERT_FALSE(fabric.has_value()) << spec;
    EXPECT_NE(fabric.error().message.find(reason), std::string::npos) << fabric.error().message;
  }
}

}  // namespace
}  // namespace weft
