// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Largest port counts and path lengths of the specification, hosts with two ports, and links
// between devices of different generations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/managed_subnet.h"
#include "support/managers.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::Contains;
using testing::HasSubstr;

FabricBuilder::NodeIndex add_host(FabricBuilder& builder, std::uint64_t guid, unsigned ports,
                                  const std::string& name) {
  Node node;
  node.node_guid = node.system_guid = Guid(guid);
  node.port_count = static_cast<std::uint8_t>(ports);
  node.description = name;
  return builder.add_node(node);
}

void bring_up(ManagedSubnet& managed) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().endport_count(), managed.fabric().endport_count());
  expect_managed(managed);
}

TEST(Extremes, SwitchesWith254PortsReplicateToAllPorts) {
  ManagedSubnet managed(Tiny(2, 254).link(0, 1).hosts(0, 253).hosts(1, 253).build());
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const Fabric& fabric = managed.fabric();
  FiledGroup group;
  group.mlid = Lid(0xC005);
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    group.members.push_back(fabric.port(fabric.endport(EndportId(e)).port).guid);
  managed.sm().set_multicast_groups({group});
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  for (const SwitchId sw : {SwitchId(0), SwitchId(1)})
    EXPECT_EQ(managed.emulated().multicast_ports(sw, group.mlid).size(), 254u);
}

TEST(Extremes, BothPortsOfAHostAreManaged) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0).hosts(1);
  const auto host = add_host(tiny.builder(), 0x50, 2, "both");
  ASSERT_TRUE(tiny.builder().connect(host, PortNum(1), 0, PortNum(7)));
  ASSERT_TRUE(tiny.builder().connect(host, PortNum(2), 1, PortNum(7)));
  ManagedSubnet managed(tiny.build());
  const NodeId both = *managed.fabric().find_node(Guid(0x50));
  const auto endport = [&](std::uint8_t port) {
    return managed.fabric().endport_at(managed.fabric().port_id(both, PortNum(port)));
  };
  bring_up(managed);  // the manager is on another host
  for (const std::uint8_t port : std::to_array<std::uint8_t>({1, 2})) {
    managed.attach_at(endport(port));
    bring_up(managed);
  }
  // The manager runs on port 2 of this host. The cable of port 1 is removed, and port 2 keeps its
  // LID.
  const Lid kept = managed.known()
                       .endport(*managed.known().find_endport(
                           managed.fabric().port(managed.fabric().endport(endport(2)).port).guid))
                       .lid;
  managed.emulated().cut_cable(managed.fabric().port_id(both, PortNum(1)));
  managed.run_for(std::chrono::seconds(1));
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().port_info(managed.fabric().port_id(both, PortNum(2))).lid, kept);
}

TEST(Extremes, ReportsNodesBeyond63Hops) {
  for (const unsigned switches : {62u, 66u}) {
    SCOPED_TRACE(switches);
    Tiny tiny(switches, 4);
    tiny.hosts(0);
    for (unsigned sw = 1; sw < switches; ++sw) tiny.link(sw - 1, sw);
    tiny.hosts(switches - 1);
    ManagedSubnet managed(tiny.build());
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    if (switches == 62) {  // the last host is 63 hops away
      EXPECT_EQ(managed.known().endport_count(), managed.fabric().endport_count());
    } else {
      EXPECT_EQ(managed.known().switch_count(), 63u);
      EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("hops away")));
    }
  }
}

/// A secret SM_Key is sent only to ports in allowed_sm_guids. The manager identifies the sender of
/// a request by the return path in the request.
TEST(Extremes, ManagersHandOverAcross63Hops) {
  Tiny tiny(62, 4);
  tiny.hosts(0);
  for (unsigned sw = 1; sw < 62; ++sw) tiny.link(sw - 1, sw);
  tiny.hosts(61);
  Managers managers(tiny.build());
  const auto options = [&](std::uint8_t priority) {
    SmOptions listed = managers.options(priority);
    listed.sm_key = 0x5EC2E7;
    for (const std::uint32_t host : {62u, 63u})
      listed.allowed_sm_guids.push_back(
          managers.fabric().port(managers.fabric().endport(EndportId(host)).port).guid);
    return listed;
  };
  const std::size_t first = managers.start(0, options(1));
  ASSERT_TRUE(managers.run_until_only_master(first));
  const std::size_t second = managers.start(1, options(8));
  EXPECT_TRUE(managers.run_until_only_master(second));
  EXPECT_EQ(managers.state(first), SmState::kStandby);
}

TEST(Extremes, LinksBetweenGenerationsUseCommonCapabilities) {
  struct Generation {
    LinkSpeed speed;
    Mtu mtu;
    std::uint8_t data_vls;
  };
  constexpr std::array<Generation, 4> kGenerations{{{LinkSpeed::kSdr, Mtu::k2048, 1},
                                                    {LinkSpeed::kQdr, Mtu::k2048, 4},
                                                    {LinkSpeed::kEdr, Mtu::k4096, 8},
                                                    {LinkSpeed::kHdr, Mtu::k4096, 4}}};
  Tiny tiny(4);
  for (unsigned sw = 0; sw < 4; ++sw) tiny.link(sw, (sw + 1) % 4).hosts(sw);
  FabricBuilder& builder = tiny.builder();
  for (std::uint32_t n = 0; n < builder.node_count(); ++n)
    for (unsigned port = 1; port <= builder.node(n).port_count; ++port) {
      const Generation& generation = kGenerations[(n * 7 + 1) % kGenerations.size()];
      FabricBuilder::PortSpec spec;
      spec.speed = generation.speed;
      spec.mtu_cap = generation.mtu;
      spec.data_vls = generation.data_vls;
      ASSERT_TRUE(builder.describe_port(n, PortNum(static_cast<std::uint8_t>(port)), spec));
    }
  ManagedSubnet managed(tiny.build());
  bring_up(managed);
  const Fabric& fabric = managed.fabric();
  unsigned uneven = 0;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const PortId peer = fabric.port(PortId(p)).peer;
    if (peer == kNoPort) continue;
    const PortInfo& here = managed.emulated().port_info(PortId(p));
    const PortInfo& there = managed.emulated().port_info(peer);
    uneven += here.mtu_cap != there.mtu_cap;
    EXPECT_EQ(here.neighbor_mtu, std::min(here.mtu_cap, there.mtu_cap))
        << describe(fabric, PortId(p));
    EXPECT_EQ(here.operational_vls, there.operational_vls) << describe(fabric, PortId(p));
    EXPECT_LE(here.operational_vls, std::min(here.vl_cap, there.vl_cap));
  }
  EXPECT_GT(uneven, 0u);
}

}  // namespace
}  // namespace weft
