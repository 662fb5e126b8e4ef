// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bring-up of emulated fabrics without faults.
#include <gmock/gmock.h>

#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;

TEST(BringUp, ATreeIsUp) {
  ManagedSubnet managed(fabric_of("fattree2:k=8"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const auto& snapshot = *managed.sm().snapshot();
  EXPECT_EQ(snapshot.fabric.node_count(), managed.fabric().node_count());
  EXPECT_EQ(snapshot.fabric.link_count(), managed.fabric().link_count());
  EXPECT_EQ(snapshot.routes.engine, "updn");
  EXPECT_EQ(snapshot.sm_lid(),
            snapshot.fabric.endport(EndportId(managed.fabric().switch_count())).lid);
  EXPECT_EQ(managed.report().reason, "first sweep");
  EXPECT_EQ(managed.report().table_blocks_read, 0u);  // no switch forwards packets yet
  EXPECT_TRUE(managed.report().warnings.empty());
  EXPECT_EQ(managed.sm().state(), SmState::kMaster);
}

TEST(BringUp, ManyTopologiesAreUp) {
  for (const char* spec :
       {"xgft:m=4x4,w=1x2", "torus:3x3,hosts=2", "hypercube:n=3,hosts=1", "fattree3:k=4",
        "hyperx:3x3,hosts=1", "kautz:b=2,n=2,hosts=2", "random:n=12,degree=4,hosts=2,seed=5"}) {
    ManagedSubnet managed(fabric_of(spec));
    managed.start();
    ASSERT_TRUE(managed.settle()) << spec;
    SCOPED_TRACE(spec);
    expect_managed(managed);
  }
}

TEST(BringUp, HeavySweepFollowsTheConfiguredNumberOfLightSweeps) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.force_heavy_sweep_window = 3;
  managed.start();
  ASSERT_TRUE(managed.settle());
  const std::uint64_t heavy = managed.sm().heavy_sweeps(), light = managed.sm().light_sweeps();
  managed.run_for(20 * managed.options.sweep_interval);
  const std::uint64_t heavy_sweeps_since = managed.sm().heavy_sweeps() - heavy;
  EXPECT_GE(heavy_sweeps_since, 3u);
  EXPECT_GE(managed.sm().light_sweeps() - light, 3 * heavy_sweeps_since);
  EXPECT_LE(managed.sm().light_sweeps() - light, 3 * heavy_sweeps_since + 3);
  EXPECT_EQ(managed.report().reason, "force_heavy_sweep_window");
}

TEST(BringUp, LinksHaveTheConfiguredMtuAndVls) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.max_neighbor_mtu = 3;
  managed.options.max_op_vls = 3;
  managed.options.max_op_vls_of = {.ca = 1, .sw = 2};
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const Fabric& fabric = managed.fabric();
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const Port& port = fabric.port(PortId(p));
    if (port.peer == kNoPort) continue;
    const bool is_host_link =
        !fabric.is_switch(port.node) || !fabric.is_switch(fabric.port(port.peer).node);
    const PortInfo& info = managed.emulated().port_info(PortId(p));
    EXPECT_EQ(info.neighbor_mtu, 3) << describe(fabric, PortId(p));
    EXPECT_EQ(info.operational_vls, is_host_link ? 1 : 2) << describe(fabric, PortId(p));
  }
}

TEST(BringUp, RoutesUseAtMostTheVlsOfEveryLink) {
  ManagedSubnet managed(fabric_of("ring:n=6,hosts=1"));
  managed.options.routing_engine = {{"dfsssp"}, false};
  managed.options.max_op_vls_of = {.ca = 2};
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.sm().snapshot()->routes.vls, 2u);
}

TEST(BringUp, TwoConnectedCasAreASubnet) {
  FabricBuilder builder;
  for (unsigned i = 0; i < 2; ++i) {
    Node node;
    node.node_guid = Guid(0x100 + 16 * i);
    node.port_count = 2;
    node.description = "H" + std::to_string(i);
    builder.add_node(node);
  }
  ASSERT_TRUE(builder.connect(0, PortNum(2), 1, PortNum(1)));
  ManagedSubnet managed(*builder.build());
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.sm().snapshot()->fabric.endport_count(), 2u);
}

TEST(BringUp, ASwitchAloneIsASubnet) {
  Tiny tiny(1);
  ManagedSubnet managed(tiny.build());
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.sm().snapshot()->sm_lid(), Lid(1));
}

// H0 has a port on each switch: each port has its own LID, path and SMA.
//   S0 --- S1
//    \     /
//      H0
TEST(BringUp, SetsEachCaPortThroughTheLinkOfThePort) {
  Tiny tiny(2);
  tiny.link(0, 1);
  Node host;
  host.node_guid = Guid(0x10000);
  host.port_count = 2;
  host.description = "H0";
  const auto h = tiny.builder().add_node(host);
  ASSERT_TRUE(tiny.builder().connect(h, PortNum(1), 0, PortNum(5)));
  ASSERT_TRUE(tiny.builder().connect(h, PortNum(2), 1, PortNum(6)));
  for (const unsigned own_endport : {0u, 2u, 3u}) {
    ManagedSubnet managed(*tiny.builder().build());
    managed.attach_at(EndportId(own_endport));
    managed.start();
    ASSERT_TRUE(managed.settle());
    SCOPED_TRACE(own_endport);
    expect_managed(managed);
    EXPECT_EQ(managed.sm().snapshot()->fabric.endport_count(), 4u);
  }
}

TEST(BringUp, ManagerCanRunOnASwitch) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.attach_at(EndportId(0));
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
}

TEST(BringUp, LmcAssignsARangeToEachCaPort) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.lmc = 2;
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const Fabric& fabric = managed.sm().snapshot()->fabric;
  for (std::uint32_t i = fabric.switch_count(); i < fabric.endport_count(); ++i) {
    EXPECT_EQ(fabric.endport(EndportId(i)).lmc, 2);
    EXPECT_EQ(fabric.endport(EndportId(i)).lid.value() % 4, 0);
  }
}

TEST(BringUp, UsesCommonMtuAndVlsOfBothEnds) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0).hosts(1);
  FabricBuilder::PortSpec small;
  small.mtu_cap = Mtu::k1024;
  small.data_vls = 4;
  ASSERT_TRUE(tiny.builder().describe_port(1, PortNum(1), small));
  ManagedSubnet managed(*tiny.builder().build());
  managed.start();
  ASSERT_TRUE(managed.settle());
  for (const SwitchId sw : {SwitchId(0), SwitchId(1)}) {
    const PortInfo& info =
        managed.emulated().port_info(managed.fabric().port_id(Fabric::node_of(sw), PortNum(1)));
    EXPECT_EQ(info.neighbor_mtu, static_cast<std::uint8_t>(Mtu::k1024));
    EXPECT_EQ(info.operational_vls, vl_code(4));
    EXPECT_EQ(info.hoq_life, 0x12);  // the port is cabled to a switch
  }
  const PortInfo& leaf =
      managed.emulated().port_info(managed.fabric().port_id(NodeId(0), PortNum(2)));
  EXPECT_EQ(leaf.neighbor_mtu, static_cast<std::uint8_t>(Mtu::k2048));
  EXPECT_EQ(leaf.hoq_life, 0x10);
}

TEST(BringUp, SetsClientReregisterOnce) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  const Fabric& fabric = managed.fabric();
  for (std::uint32_t i = fabric.switch_count(); i < fabric.endport_count(); ++i)
    EXPECT_EQ(managed.emulated().reregistrations(fabric.endport(EndportId(i)).port), 1u);
}

TEST(BringUp, ASecondSweepOfAnUnchangedFabricSetsNothing) {
  ManagedSubnet managed(fabric_of("fattree3:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  for (const auto attribute :
       {AttributeId::kPortInfo, AttributeId::kSwitchInfo, AttributeId::kLinearForwardingTable})
    EXPECT_EQ(managed.sets(attribute), 0u);
  EXPECT_TRUE(managed.report().routes_reused);
  EXPECT_EQ(managed.report().table_blocks_read, 0u);
}

TEST(BringUp, RestartWritesNoTableAndKeepsLids) {
  ManagedSubnet managed(fabric_of("fattree3:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto lids = managed.emulated().lids();
  for (const bool cache : {true, false}) {
    managed.options.cache_dir = cache ? managed.cache().path() : "";
    managed.emulated().reset_counters();
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    EXPECT_EQ(managed.sets(AttributeId::kLinearForwardingTable), 0u);
    EXPECT_EQ(managed.sets(AttributeId::kSwitchInfo), 0u);
    EXPECT_EQ(managed.report().table_blocks_read, managed.fabric().switch_count());
    EXPECT_EQ(managed.emulated().lids(), lids);
  }
}

TEST(BringUp, RestoresLidsFromDiskAfterPowerLoss) {
  // The ports lose their LIDs, and the fabric is discovered in another order.
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto lids = managed.emulated().lids();
  for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n) {
    managed.emulated().switch_off_node(NodeId(n));
    managed.emulated().switch_on_node(NodeId(n));
  }
  managed.emulated().run_for(std::chrono::seconds(1));
  managed.attach_at(EndportId(managed.fabric().endport_count() - 1));
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().lids(), lids);
}

TEST(BringUp, NoSmpIsSentAfterStop) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  for (int i = 0; i < 10; ++i) managed.sm().step();
  managed.sm().stop();
  EXPECT_TRUE(managed.sm().stopped());
  EXPECT_TRUE(managed.sm().settled());
  EXPECT_EQ(managed.sm().state(), SmState::kNotActive);
  const auto sent = managed.emulated().counters().sent;
  for (int i = 0; i < 10; ++i) managed.sm().step();
  managed.sm().request_heavy_sweep("after stop");
  managed.sm().step();
  EXPECT_EQ(managed.emulated().counters().sent, sent);
}

TEST(BringUp, ReportsUnwritableCacheAndBringsUpSubnet) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.cache_dir = "/proc/no-such-folder";
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  ASSERT_FALSE(managed.report().warnings.empty());
  EXPECT_THAT(managed.report().warnings.back(), HasSubstr("/proc/no-such-folder"));
}

}  // namespace
}  // namespace weft
