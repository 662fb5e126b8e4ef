// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SMPs by directed route: the hop pointer and the return path, the reasons to drop an SMP on its
// path, responses to unknown methods, and the time of hops.
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

class DirectedRoute : public ::testing::Test {
 protected:
  const Fabric fabric = two_switches();
  EmulatedFabric emulated{fabric};
  Client sm{emulated, kH0};

  void expect_dropped(const Smp& smp, Drop why) {
    const auto before = emulated.counters().drops(why);
    EXPECT_FALSE(sm.request(smp)) << "SMP was answered, expected drop reason "
                                  << static_cast<int>(why);
    EXPECT_EQ(emulated.counters().drops(why), before + 1);
  }
  static Smp get_node_info(const Path& path) {
    return directed(Method::kGet, AttributeId::kNodeInfo, 0, path);
  }
};

TEST_F(DirectedRoute, AddressesTheLocalNodeWithoutHops) {
  const auto answer = sm.request(get_node_info({}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->method, Method::kGetResp);
  EXPECT_TRUE(answer->returning);
  EXPECT_EQ(answer->hop_pointer, 0);
  const auto info = decode_node_info(answer->data);
  EXPECT_EQ(info->type, NodeType::kCa);
  EXPECT_EQ(info->node_guid, fabric.node(fabric.endport(kH0).node).node_guid);
  EXPECT_EQ(info->local_port, PortNum(1));
}

TEST_F(DirectedRoute, CrossesSwitchesAndRecordsTheReturnPath) {
  const auto answer = sm.request(get_node_info({1, 3, 2}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->hop_count, 3);
  EXPECT_EQ(answer->hop_pointer, 0);
  EXPECT_EQ(answer->return_path[1], 1);  // input port at S0
  EXPECT_EQ(answer->return_path[2], 3);  // input port at S1
  EXPECT_EQ(answer->return_path[3], 1);  // input port at H1
  EXPECT_EQ(decode_node_info(answer->data)->port_guid, fabric.port(fabric.endport(kH1).port).guid);
}

TEST_F(DirectedRoute, ReportsTheReceivingPort) {
  EXPECT_EQ(decode_node_info(sm.request(get_node_info({1, 2}))->data)->local_port, PortNum(1));
  EXPECT_EQ(decode_node_info(sm.request(get_node_info({1, 3}))->data)->local_port, PortNum(3));
  EXPECT_EQ(sm.port_info({1, 3}, 2).local_port, PortNum(3));
}

TEST_F(DirectedRoute, MayReturnToTheSender) {
  const auto answer = sm.request(get_node_info({1, 2, 3, 1}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(decode_node_info(answer->data)->type, NodeType::kCa);
}

TEST_F(DirectedRoute, MayHaveSixtyThreeHops) {
  Path path{1};
  while (path.size() < 63) path.push_back(path.size() % 2 == 1 ? 2 : 1);
  EXPECT_TRUE(sm.request(get_node_info(path)));
  Smp longer = get_node_info(path);
  longer.hop_count = 64;
  expect_dropped(longer, Drop::kMalformed);
  longer.hop_count = 255;
  expect_dropped(longer, Drop::kMalformed);
}

TEST_F(DirectedRoute, IsDroppedAtAPortWithoutCable) {
  expect_dropped(get_node_info({1, 4}), Drop::kPortDown);
  expect_dropped(get_node_info({1, 0}), Drop::kPortDown);
  expect_dropped(get_node_info({1, 200}), Drop::kPortDown);
  expect_dropped(get_node_info({2}), Drop::kPortDown);  // H0 has a cable at port 1 only
}

TEST_F(DirectedRoute, IsDroppedAtAChannelAdapterBeforeTheLastHop) {
  expect_dropped(get_node_info({1, 2, 2, 1}), Drop::kNotASwitch);
}

TEST_F(DirectedRoute, IsDroppedWhenTheLinkIsDown) {
  emulated.cut_cable(fabric.port_id(NodeId(0), PortNum(2)));
  expect_dropped(get_node_info({1, 2}), Drop::kPortDown);
  EXPECT_TRUE(sm.request(get_node_info({1, 3})));
}

TEST_F(DirectedRoute, RequestMustHaveHopPointerZeroAndNoDirectionBit) {
  Smp smp = get_node_info({1, 2});
  smp.hop_pointer = 1;
  expect_dropped(smp, Drop::kMalformed);
  smp = get_node_info({1});
  smp.returning = true;  // a request with the direction bit of a response
  expect_dropped(smp, Drop::kMalformed);
  smp.hop_pointer = 2;
  smp.return_path[1] = 1;
  expect_dropped(smp, Drop::kMalformed);
}

TEST_F(DirectedRoute, OnlySmpClassesAreForwarded) {
  Smp smp = get_node_info({1});
  smp.mgmt_class = MgmtClass::kSubnAdm;
  expect_dropped(smp, Drop::kMalformed);
  smp.mgmt_class = static_cast<MgmtClass>(0xFF);
  expect_dropped(smp, Drop::kMalformed);
}

TEST_F(DirectedRoute, ResponseWithoutReceiverIsDropped) {
  Smp smp = get_node_info({1});
  smp.method = Method::kGetResp;
  expect_dropped(smp, Drop::kMalformed);  // a response has the direction bit
  smp.returning = true;
  smp.hop_count = 1;
  smp.hop_pointer = 2;
  smp.return_path[1] = 1;
  expect_dropped(smp, Drop::kNoReceiver);
}

TEST_F(DirectedRoute, UnknownMethodsGetAResponse) {
  Smp smp = get_node_info({1});
  smp.method = static_cast<Method>(0x15);
  smp.transaction_id = 77;
  ASSERT_TRUE(sm.transport().send(smp));
  emulated.run_for(kPatience);
  const auto received = sm.take_unsolicited();
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].transaction_id, 77u);
  EXPECT_EQ(received[0].method, static_cast<Method>(0x95));
  EXPECT_EQ(received[0].status, mad_status::kMethodUnsupported);
}

TEST_F(DirectedRoute, TakesTheTimeOfHopsAndAgents) {
  EmulatorOptions slow;
  slow.hop_latency = TimeNs{1000};
  slow.sma_time = TimeNs{7000};
  EmulatedFabric other(fabric, slow);
  Client client(other, kH0);
  ASSERT_TRUE(client.request(get_node_info({1, 2, 2})));
  EXPECT_EQ(other.clock().now(), TimeNs{3000 + 7000 + 3000});
  // Two requests are sent at once; the agent handles one after the other.
  const TimeNs start = other.clock().now();
  ASSERT_TRUE(client.transport().send(get_node_info({1})));
  ASSERT_TRUE(client.transport().send(get_node_info({1})));
  unsigned answers = 0;
  while (answers < 2) {
    client.transport().wait_until(start + std::chrono::seconds(1));
    while (client.transport().receive()) ++answers;
  }
  EXPECT_EQ(other.clock().now() - start, TimeNs{1000 + 2 * 7000 + 1000});
}

}  // namespace
}  // namespace weft
