// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SMPs by LID: switches forward these SMPs by the forwarding tables.
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

class LidRouted : public Routed {
 protected:
  static Smp get_node_info(unsigned lid) {
    return by_lid(Method::kGet, AttributeId::kNodeInfo, 0, Lid(static_cast<std::uint16_t>(lid)));
  }
  void expect_dropped(const Smp& smp, Drop why) {
    const auto before = emulated.counters().drops(why);
    EXPECT_FALSE(sm.request(smp)) << "SMP was answered, expected drop reason "
                                  << static_cast<int>(why);
    EXPECT_EQ(emulated.counters().drops(why), before + 1);
  }
};

TEST_F(LidRouted, ReachesTheEndportOfEveryLid) {
  for (unsigned lid = 1; lid <= 4; ++lid) {
    const auto answer = sm.request(get_node_info(lid));
    ASSERT_TRUE(answer) << lid;
    EXPECT_EQ(answer->slid, Lid(static_cast<std::uint16_t>(lid)));
    EXPECT_EQ(answer->dlid, Lid(3));
    EXPECT_FALSE(answer->returning);
    EXPECT_EQ(decode_node_info(answer->data)->type, lid <= 2 ? NodeType::kSwitch : NodeType::kCa);
  }
}

TEST_F(LidRouted, IsDroppedWithoutAnEntry) {
  expect_dropped(get_node_info(5), Drop::kUnrouted);
  expect_dropped(get_node_info(63), Drop::kUnrouted);
  expect_dropped(get_node_info(64), Drop::kUnrouted);
  expect_dropped(get_node_info(0), Drop::kUnrouted);
  expect_dropped(get_node_info(0xBFFF), Drop::kUnrouted);
  expect_dropped(get_node_info(0xC000), Drop::kUnrouted);
  expect_dropped(get_node_info(0xFFFF), Drop::kUnrouted);
}

TEST_F(LidRouted, IsDroppedAboveLinearFdbTop) {
  sm.set_lft({1}, {{1, 0}, {2, 2}, {3, 1}, {4, 2}}, 3);
  EXPECT_TRUE(sm.request(get_node_info(2)));
  expect_dropped(get_node_info(4), Drop::kUnrouted);
}

TEST_F(LidRouted, IsDroppedAtAPortWithoutLink) {
  sm.set_lft({1}, {{1, 0}, {2, 7}, {3, 1}, {4, 99}});
  expect_dropped(get_node_info(2), Drop::kPortDown);
  expect_dropped(get_node_info(4), Drop::kPortDown);
}

TEST_F(LidRouted, OnlyTheEndportOfTheLidResponds) {
  sm.set_lft({1, 2}, {{1, 1}, {2, 0}, {3, 1}, {4, 2}, {5, 2}, {6, 0}});
  sm.set_lft({1}, {{1, 0}, {2, 2}, {3, 1}, {4, 2}, {5, 2}, {6, 2}});
  expect_dropped(get_node_info(5), Drop::kWrongLid);  // the SMP arrives at H1
  expect_dropped(get_node_info(6), Drop::kWrongLid);  // the SMP arrives at port 0 of S1
}

TEST_F(LidRouted, IsDroppedInALoopAtTheHopLimit) {
  sm.set_lft({1, 2}, {{1, 1}, {2, 0}, {3, 1}, {4, 1}});  // S1 sends LID 4 back to S0
  expect_dropped(get_node_info(4), Drop::kLooped);
}

TEST_F(LidRouted, EveryLidOfTheRangeReachesTheEndport) {
  ASSERT_EQ(sm.set_lid({1, 2, 2}, 1, 8, 3, 2), 0);
  sm.set_lft({1}, {{3, 1}, {8, 2}, {9, 2}, {10, 2}, {11, 2}, {12, 2}});
  sm.set_lft({1, 2}, {{3, 1}, {8, 2}, {9, 2}, {10, 2}, {11, 2}, {12, 2}});
  for (unsigned lid = 8; lid < 12; ++lid) EXPECT_TRUE(sm.request(get_node_info(lid))) << lid;
  expect_dropped(get_node_info(12), Drop::kWrongLid);
}

TEST_F(LidRouted, CrossesLinksInInit) {
  EXPECT_EQ(emulated.port_info(port(kS0, 2)).state, PortState::kInit);
  EXPECT_TRUE(sm.request(get_node_info(4)));
  EXPECT_FALSE(emulated.carries_data(port(kS0, 2)));
}

TEST_F(LidRouted, ResponseIsDroppedWithoutARoute) {
  sm.set_lft({1, 2}, {{1, 1}, {2, 0}, {4, 2}});  // S1 has no route to LID 3
  expect_dropped(get_node_info(4), Drop::kUnrouted);
  EXPECT_EQ(emulated.counters().requests(Method::kGet, AttributeId::kNodeInfo), 1u);
}

TEST_F(LidRouted, MayContinueByDirectedRouteAfterLidRouting) {
  Smp smp = directed(Method::kGet, AttributeId::kNodeInfo, 0, {2});
  smp.dr_slid = Lid(3);
  smp.dlid = Lid(2);  // by LID to S1; H1 is at port 2 of S1
  const auto answer = sm.request(smp);
  ASSERT_TRUE(answer);
  EXPECT_EQ(decode_node_info(answer->data)->node_guid, fabric.node(node(kH1)).node_guid);
  smp.initial_path[1] = 3;
  EXPECT_EQ(decode_node_info(sm.request(smp)->data)->local_port, PortNum(3));
}

TEST_F(LidRouted, MayBeginByDirectedRouteBeforeLidRouting) {
  Smp smp = directed(Method::kGet, AttributeId::kNodeInfo, 0, {1});
  smp.dr_dlid = Lid(4);
  const auto answer = sm.request(smp);
  ASSERT_TRUE(answer);
  EXPECT_EQ(decode_node_info(answer->data)->node_guid, fabric.node(node(kH1)).node_guid);
  smp.dr_dlid = Lid(5);
  EXPECT_FALSE(sm.request(smp));
}

TEST_F(LidRouted, GetsNoResponseWithoutAssignedLids) {
  const Fabric other_fabric = two_switches();
  EmulatedFabric other(other_fabric);
  Client client(other, kH0);
  EXPECT_FALSE(client.request(get_node_info(1)));
}

// H0 -1---1- H1: two CAs that are cabled to each other are a subnet without switches.
TEST(LidRoutedBackToBack, ReachesACaCabledDirectlyToTheSender) {
  FabricBuilder builder;
  for (const unsigned guid : {0x10u, 0x20u}) {
    Node ca;
    ca.node_guid = Guid(guid);
    ca.port_count = 1;
    builder.add_node(ca);
  }
  ASSERT_TRUE(builder.connect(0, PortNum(1), 1, PortNum(1)));
  const auto fabric = builder.build();
  ASSERT_TRUE(fabric);
  EmulatedFabric emulated(*fabric);
  Client sm(emulated, EndportId(0));
  EXPECT_EQ(sm.set_lid({}, 1, 1), 0);
  EXPECT_EQ(sm.set_lid({1}, 1, 2), 0);
  const auto answer = sm.request(by_lid(Method::kGet, AttributeId::kNodeInfo, 0, Lid(2)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(decode_node_info(answer->data)->node_guid, Guid(0x20));
  EXPECT_FALSE(sm.request(by_lid(Method::kGet, AttributeId::kNodeInfo, 0, Lid(3))));
  EXPECT_EQ(emulated.counters().drops(Drop::kWrongLid), 1u);
}

}  // namespace
}  // namespace weft
