// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/planes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fabric/generators/spec.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

/// Expects that port n of each host is cabled to the same port of a switch in plane n.
void expect_a_port_in_each_plane(const Fabric& fabric, unsigned count) {
  for (std::uint32_t n = fabric.switch_count(); n < fabric.node_count(); ++n) {
    const auto ports = fabric.ports(NodeId(n));
    ASSERT_EQ(ports.size(), count + 1);
    for (unsigned p = 1; p <= count; ++p) {
      const Port& peer = fabric.port(ports[p].peer);
      const std::string& name = fabric.node(peer.node).description;
      ASSERT_EQ(name.substr(0, 7), "plane" + std::to_string(p) + "-");
      ASSERT_EQ(peer.num, fabric.port(ports[1].peer).num);
    }
  }
}

/// Generators that create planes themselves are tested below.
TEST(Planes, OfEveryGeneratorHaveAPortOfEachHost) {
  std::size_t tested = 0;
  for (const Generator& generator : generators()) {
    if (std::ranges::count(generator.parameters, "planes", &Parameter::key) > 0) continue;
    for (const unsigned count : {2u, 4u}) {
      const std::string spec = std::string(generator.example) + ",planes=" + std::to_string(count);
      SCOPED_TRACE(spec);
      const Fabric one = fabric_without_lids(std::string(generator.example));
      const Fabric fabric = fabric_without_lids(spec);
      EXPECT_EQ(fabric.switch_count(), count * one.switch_count());
      EXPECT_EQ(fabric.link_count(), count * one.link_count());
      EXPECT_EQ(fabric.ca_count(), one.ca_count());
      EXPECT_GT(fabric.ca_count(), 0u);
      const Planes planes = find_planes(fabric);
      ASSERT_GT(planes.planes.size(), 0u);
      EXPECT_EQ(planes.planes.size() % count, 0u);
      EXPECT_EQ(planes.planes.front().switches * planes.planes.size(), fabric.switch_count());
      expect_a_port_in_each_plane(fabric, count);
    }
    ++tested;
  }
  EXPECT_EQ(tested, generators().size() - 1) << "multiplane creates planes itself";
}

/// Both generators create the same two-level trees. In each plane, a host has an adapter with
/// multiplane, and a port of its only adapter with fattree2.
TEST(Planes, HaveAnAdapterOfEachHostInMultiplaneAndAPortInFattree2) {
  const Fabric adapters = fabric_without_lids("multiplane:planes=4,k=4");
  const Fabric ports = fabric_without_lids("fattree2:k=4,planes=4");
  EXPECT_EQ(adapters.switch_count(), ports.switch_count());
  EXPECT_EQ(adapters.link_count(), ports.link_count());
  EXPECT_EQ(adapters.ca_count(), 4 * ports.ca_count());
  expect_a_port_in_each_plane(ports, 4);
}

TEST(Planes, CopiesOfASwitchHaveTheSameSystemGuid) {
  const Fabric fabric = fabric_without_lids("fattree2:k=4,planes=2");
  const std::uint32_t half = fabric.switch_count() / 2;
  for (std::uint32_t s = 0; s < half; ++s)
    EXPECT_EQ(fabric.node(SwitchId(s)).system_guid, fabric.node(SwitchId(s + half)).system_guid);
  EXPECT_NE(fabric.node(SwitchId(0)).system_guid, fabric.node(SwitchId(1)).system_guid);
}

TEST(Planes, NodesAndPortsHaveDifferentGuidsInSixteenPlanes) {
  const Fabric fabric = fabric_without_lids("fattree2:k=4,planes=16");
  std::set<Guid> guids;
  std::size_t count = 0;
  for (std::uint32_t n = fabric.switch_count(); n < fabric.node_count(); ++n, ++count)
    guids.insert(fabric.node(NodeId(n)).node_guid);
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e, ++count)
    guids.insert(fabric.port(fabric.endport(EndportId(e)).port).guid);
  EXPECT_EQ(guids.size(), count);
}

TEST(Planes, AreNotFoundInAConnectedFabric) {
  for (const char* spec : {"fattree2:k=4", "torus:3x3", "rail:su=2,servers=2,nics=2,k=8"})
    EXPECT_TRUE(find_planes(fabric_without_lids(spec)).planes.empty()) << spec;
}

TEST(Planes, SeparateNetworksOfAdaptersArePlanes) {
  EXPECT_EQ(find_planes(fabric_without_lids("multiplane:planes=3,k=4")).planes.size(), 3u);
  EXPECT_EQ(find_planes(fabric_without_lids("railonly:su=2,servers=2,nics=4,k=8")).planes.size(),
            4u);
}

TEST(Planes, NumbersIncludeAPlaneWithoutSwitches) {
  const Planes planes = find_planes(fabric_without_lids("fattree2:k=4,planes=4,plane_down=2"));
  ASSERT_EQ(planes.planes.size(), 4u);
  EXPECT_EQ(planes.hosts, 8u);
  EXPECT_EQ(planes.planes[1], Plane{});
  for (const std::size_t p : {0u, 2u, 3u}) EXPECT_EQ(planes.planes[p], (Plane{8, 8, 6})) << p;
}

/// All cables between switches are missing: each leaf is a part, and has the number of its plane.
TEST(Planes, PartsOfAPlaneHaveTheNumberOfThePlane) {
  const Fabric fabric = fabric_without_lids("fattree2:k=4,planes=2,fail=16,connected=0");
  const Planes planes = find_planes(fabric);
  ASSERT_EQ(planes.planes.size(), 2u);
  EXPECT_EQ(planes.planes[0], (Plane{8, 8, 4}))
      << "only the leaves count, because spines have no hosts";
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const bool is_leaf = fabric.node(SwitchId(s)).description.find("leaf") != std::string::npos;
    const std::uint32_t expected = fabric.node(SwitchId(s)).description[5] == '1' ? 1 : 2;
    EXPECT_EQ(planes.of(SwitchId(s)), is_leaf ? expected : 0u);
  }
}

/// If the number of planes is not given, the port without a cable of each CA may be an unused port.
TEST(Planes, RemainingPlaneIsFoundOnlyIfTheNumberOfPlanesIsStated) {
  const Fabric fabric = fabric_without_lids("fattree2:k=4,planes=2,plane_down=1");
  EXPECT_TRUE(find_planes(fabric).planes.empty());
  const Planes planes = find_planes(fabric, 2);
  ASSERT_EQ(planes.planes.size(), 2u);
  EXPECT_EQ(planes.planes[0], Plane{});
  EXPECT_EQ(planes.planes[1], (Plane{8, 8, 6}));
  EXPECT_TRUE(find_planes(fabric, 4).planes.empty()) << "the CAs have two ports, not four";
  EXPECT_TRUE(find_planes(fabric_without_lids("fattree2:k=4"), 2).planes.empty());
}

TEST(Planes, PartsArePlanesUnlessCablesAreMissing) {
  EXPECT_TRUE(parts_are_planes(fabric_without_lids("fattree2:k=4,planes=3,plane_down=2")));
  EXPECT_FALSE(parts_are_planes(fabric_without_lids("fattree2:k=4")));
  EXPECT_FALSE(parts_are_planes(fabric_without_lids("fattree2:k=4,planes=2,fail=16,connected=0")));
}

TEST(Planes, BadNumbersAreRefused) {
  const auto refused = [](const std::string& spec, const std::string& text) {
    const auto made = generate(spec);
    ASSERT_FALSE(made) << spec;
    EXPECT_NE(made.error().message.find(text), std::string::npos) << made.error().message;
  };
  refused("fattree2:k=4,planes=17", "a number from 1 to 16");
  refused("fattree2:k=4,planes=2,plane_down=3", "a plane from 1 to 2");
  refused("fattree2:k=4,plane_down=1", "planes=2 or more");
  refused("multiplane:planes=2,k=4,plane_down=1",
          "only with planes that are ports of an adapter, as fattree2:k=K,planes=P has them");
  refused("fattree3:k=48,planes=2", "at most 49151 together");
  refused("fattree2:k=4,planes=2,plane_down=1,dead=6", "less than the 6 switches");
}

}  // namespace
}  // namespace weft
