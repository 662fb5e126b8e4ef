// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of cables and nodes; counters; lost, duplicated and late SMPs; the effects of
// DeviceBehavior on timing and links; the waiting for SMPs; reproducibility of runs.
#include <gtest/gtest.h>

#include <array>

#include "unit/emulator/client.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Events : public Routed {};

TEST_F(Events, CableIsCutAndRestored) {
  const TimeNs start = emulated.clock().now();
  emulated.schedule(start + seconds(1), [&](EmulatedFabric& f) { f.cut_cable(port(kS1, 3)); });
  emulated.schedule(start + seconds(2), [&](EmulatedFabric& f) { f.restore_cable(port(kS0, 3)); });
  emulated.run_until(start + seconds(1) - TimeNs{1});
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kInit);
  emulated.run_for(TimeNs{1});
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kDown);
  EXPECT_EQ(emulated.port_info(port(kS1, 3)).state, PortState::kDown);
  emulated.run_until(start + seconds(2));
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kDown) << "the link is in training";
  emulated.run_for(milliseconds(10));
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kInit);
  EXPECT_EQ(emulated.port_info(port(kS1, 3)).state, PortState::kInit);
}

TEST_F(Events, FlappingCableTrainsFromTheLastRestore) {
  emulated.cut_cable(port(kS0, 3));
  emulated.restore_cable(port(kS0, 3));
  emulated.run_for(milliseconds(6));
  emulated.cut_cable(port(kS0, 3));
  emulated.restore_cable(port(kS0, 3));
  emulated.run_for(milliseconds(6));
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kDown);
  emulated.run_for(milliseconds(6));
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kInit);
}

TEST_F(Events, PortsWithoutACableAreIgnored) {
  emulated.cut_cable(port(kS0, 7));
  emulated.restore_cable(port(kS0, 7));
  emulated.restore_cable(port(kS0, 3));
  EXPECT_FALSE(emulated.switch_info(kS0).port_state_change);
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kInit);
}

TEST_F(Events, SwitchingOffANodeStopsResponsesAndTakesLinksDown) {
  emulated.switch_off_node(NodeId(1));
  emulated.switch_off_node(NodeId(1));
  EXPECT_FALSE(emulated.is_alive(NodeId(1)));
  EXPECT_FALSE(sm.get(AttributeId::kNodeInfo, 0, {1, 2}));
  EXPECT_EQ(emulated.port_info(port(kS0, 2)).state, PortState::kDown);
  EXPECT_EQ(emulated.port_info(port(kS0, 3)).state, PortState::kDown);
  EXPECT_EQ(emulated.port_info(fabric.endport(kH1).port).state, PortState::kDown);
}

TEST_F(Events, RestartedNodeHasPowerUpState) {
  EXPECT_EQ(sm.set_state({1, 2}, 2, PortState::kArmed), 0);
  PkeyTable pkeys;
  pkeys.pkeys[0] = Pkey(0x8001);
  ASSERT_TRUE(sm.set(AttributeId::kPkeyTable, 0, {1, 2}, encode(pkeys)));
  emulated.switch_off_node(NodeId(1));
  emulated.run_for(seconds(1));
  emulated.switch_on_node(NodeId(1));
  emulated.run_for(milliseconds(20));
  EXPECT_TRUE(emulated.is_alive(NodeId(1)));
  EXPECT_TRUE(emulated.lft(kS1).empty());
  EXPECT_EQ(emulated.switch_info(kS1).linear_fdb_top, 0);
  EXPECT_EQ(emulated.port_info(port(kS1, 0)).lid, kLidNone);
  EXPECT_EQ(emulated.pkeys(port(kS1, 0), 0).pkeys[0], Pkey(0xFFFF));
  EXPECT_EQ(emulated.port_info(port(kS1, 2)).state, PortState::kInit);
  EXPECT_TRUE(sm.get(AttributeId::kNodeInfo, 0, {1, 2}));
  EXPECT_FALSE(emulated.lft(kS0).empty()) << "the table of the other switch is unchanged";
}

TEST_F(Events, CutCableDropsRequestsInFlight) {
  const auto node_info = directed(Method::kGet, AttributeId::kNodeInfo, 0, {1, 2});
  ASSERT_TRUE(sm.transport().send(node_info));
  emulated.cut_cable(port(kS0, 2));
  emulated.run_for(milliseconds(1));
  EXPECT_EQ(emulated.counters().drops(Drop::kPathBroken), 1u);
  ASSERT_TRUE(sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, {1, 3})));
  emulated.cut_cable(fabric.endport(kH1).port);  // a cable that is not on the path
  emulated.run_for(milliseconds(1));
  EXPECT_EQ(emulated.counters().drops(Drop::kPathBroken), 1u);
}

TEST_F(Events, CutCableDropsResponsesInFlight) {
  ASSERT_TRUE(sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, {1, 2})));
  emulated.run_for(TimeNs{500});  // the request has arrived, the response is in flight
  emulated.cut_cable(port(kS0, 2));
  emulated.run_for(milliseconds(1));
  EXPECT_EQ(emulated.counters().drops(Drop::kPathBroken), 1u);
  EXPECT_EQ(emulated.counters().requests(Method::kGet, AttributeId::kNodeInfo), 1u);
}

TEST_F(Events, RequestsOfEachAttributeAreCountedSeparately) {
  const std::array<AttributeId, 3> attributes{AttributeId::kLedInfo, AttributeId{0xFF00},
                                              AttributeId{0xFFFF}};
  for (const AttributeId attribute : attributes) {
    ASSERT_TRUE(sm.transport().send(directed(Method::kGet, attribute, 0, {1})));
    emulated.run_for(milliseconds(1));
    for (const AttributeId other : attributes)
      EXPECT_EQ(emulated.counters().requests(Method::kGet, other), other == attribute ? 1u : 0u);
    emulated.reset_counters();
  }
}

/// If an uncounted attribute had the number 0, a test that expects no requests of this attribute
/// would always pass.
TEST_F(Events, ReadingTheCountOfAnUncountedAttributeAborts) {
  EXPECT_DEATH((void)emulated.counters().requests(Method::kGet, AttributeId{0x0100}), "CHECK");
  EXPECT_DEATH((void)emulated.counters().requests(Method::kGetResp, AttributeId::kNodeInfo),
               "CHECK");
}

TEST_F(Events, FaultRatesLoseDuplicateAndDelaySmps) {
  emulated.reset_counters();
  emulated.set_faults({.lost = 0.2, .doubled = 0.1, .late = 0.1});
  constexpr unsigned kSent = 2000;
  for (unsigned i = 0; i < kSent; ++i)
    ASSERT_TRUE(sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, {1})));
  emulated.run_for(seconds(2));
  const auto& counters = emulated.counters();
  EXPECT_NEAR(static_cast<double>(counters.drops(Drop::kFault)), kSent * (0.2 + 0.88 * 0.2), 120);
  EXPECT_GT(counters.doubled, 200u);
  EXPECT_GT(counters.late, 200u);
  emulated.set_faults({});
  emulated.reset_counters();
  sm.take_unsolicited();
  EXPECT_TRUE(sm.get(AttributeId::kNodeInfo, 0, {1}));
  EXPECT_EQ(emulated.counters().drops(Drop::kFault), 0u);
}

TEST_F(Events, FullAgentQueueDropsFurtherSmps) {
  emulated.set_behavior(NodeId(1), {.queue_max = 4, .answer_time = std::chrono::microseconds(100)});
  emulated.reset_counters();
  const auto send_requests = [&](unsigned times, const Path& path) {
    for (unsigned i = 0; i < times; ++i)
      ASSERT_TRUE(sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, path)));
  };
  send_requests(10, {1, 2});
  send_requests(10, {1});  // S0, which has an unlimited queue
  emulated.run_for(milliseconds(1));
  EXPECT_EQ(emulated.counters().drops(Drop::kQueueFull), 6u);
  EXPECT_EQ(emulated.counters().answered, 14u);
  send_requests(4, {1, 2});
  emulated.run_for(milliseconds(1));
  EXPECT_EQ(emulated.counters().answered, 18u) << "the queue is empty again";
}

TEST_F(Events, NodeMayRespondSlowlyAfterPowerUp) {
  emulated.set_behavior(NodeId(1),
                        {.starting_for = seconds(2), .starting_answer_time = seconds(1)});
  emulated.switch_off_node(NodeId(1));
  emulated.switch_on_node(NodeId(1));
  emulated.run_for(milliseconds(20));
  const auto answers_in = [&](TimeNs span) {
    emulated.run_for(span);
    unsigned count = 0;
    while (const auto smp = sm.transport().receive()) count += smp->method == Method::kGetResp;
    return count;
  };
  const auto request = directed(Method::kGet, AttributeId::kNodeInfo, 0, {1, 2});
  ASSERT_TRUE(sm.transport().send(request));
  EXPECT_EQ(answers_in(milliseconds(900)), 0u);
  EXPECT_EQ(answers_in(seconds(2)), 1u);
  ASSERT_TRUE(sm.transport().send(request));
  EXPECT_EQ(answers_in(milliseconds(1)), 1u);
}

TEST_F(Events, EveryNthResponseMayBeLate) {
  emulated.set_behavior(NodeId(1), {.late_every = 3, .late_by = milliseconds(300)});
  emulated.reset_counters();
  for (unsigned i = 0; i < 9; ++i)
    ASSERT_TRUE(sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, {1, 2})));
  emulated.run_for(milliseconds(100));
  EXPECT_EQ(emulated.counters().delivered, 6u);
  emulated.run_for(milliseconds(300));
  EXPECT_EQ(emulated.counters().delivered, 9u);
}

TEST_F(Events, EveryOtherClearingOfPortStateChangeMayHaveNoEffect) {
  emulated.set_behavior(NodeId(1), {.clears_every_other_time = true});
  emulated.cut_cable(port(kS1, 2));
  SwitchInfo info = emulated.switch_info(kS1);
  ASSERT_TRUE(info.port_state_change);
  ASSERT_TRUE(sm.set(AttributeId::kSwitchInfo, 0, {1, 2}, encode(info)));
  EXPECT_TRUE(emulated.switch_info(kS1).port_state_change);
  ASSERT_TRUE(sm.set(AttributeId::kSwitchInfo, 0, {1, 2}, encode(info)));
  EXPECT_FALSE(emulated.switch_info(kS1).port_state_change);
}

TEST_F(Events, LinkMayTrainTwice) {
  emulated.set_behavior(NodeId(1), {.trains_twice = true});
  const PortId cable = port(kS1, 2);
  emulated.cut_cable(cable);
  emulated.restore_cable(cable);
  const auto state_in = [&](unsigned ms) {
    emulated.run_for(milliseconds(ms));
    return emulated.port_info(cable).state;
  };
  EXPECT_EQ(state_in(11), PortState::kInit);
  EXPECT_EQ(state_in(10), PortState::kDown);
  EXPECT_EQ(state_in(10), PortState::kInit);
  EXPECT_EQ(state_in(1000), PortState::kInit);
}

TEST_F(Events, ChangesOfANodeMayCauseNoTrap) {
  emulated.set_behavior(NodeId(1), {.no_change_traps = true});
  emulated.reset_counters();
  emulated.set_description(NodeId(1), "a new name");
  emulated.set_capability_mask(port(kS1, 0), 0);
  emulated.run_for(seconds(1));
  EXPECT_EQ(emulated.counters().traps, 0u);
  EXPECT_EQ(emulated.description(NodeId(1)), "a new name");
}

TEST_F(Events, FilterSelectsTheDeliveryOfSmps) {
  emulated.set_filter([&](const Smp& smp, NodeId, NodeId to) {
    if (to != NodeId(1) || smp.method != Method::kSet) return EmulatedFabric::Delivery::kPass;
    return EmulatedFabric::Delivery::kLose;
  });
  EXPECT_TRUE(sm.get(AttributeId::kNodeInfo, 0, {1, 2}));
  EXPECT_EQ(sm.set_lid({1, 2}, 0, 9), 0xFFFF);
  EXPECT_EQ(sm.set_lid({1}, 0, 1, 3), 0);
  emulated.set_filter([](const Smp&, NodeId, NodeId) { return EmulatedFabric::Delivery::kDouble; });
  emulated.reset_counters();
  EXPECT_TRUE(sm.get(AttributeId::kNodeInfo, 0, {1}));
  emulated.run_for(milliseconds(1));
  EXPECT_EQ(emulated.counters().delivered, 4u);  // two copies of the request, two responses to each
  emulated.set_filter([](const Smp&, NodeId, NodeId) { return EmulatedFabric::Delivery::kDelay; });
  const TimeNs start = emulated.clock().now();
  ASSERT_TRUE(sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, {1})));
  sm.take_unsolicited();
  sm.transport().wait_until(start + seconds(10));
  EXPECT_GT(emulated.clock().now() - start, milliseconds(1));
}

TEST_F(Events, WaitingAdvancesTheClockToTheNextSmpOrTheDeadline) {
  sm.take_unsolicited();
  const TimeNs start = emulated.clock().now();
  sm.transport().wait_until(start + seconds(5));
  EXPECT_EQ(emulated.clock().now(), start + seconds(5));
  ASSERT_TRUE(sm.transport().send(directed(Method::kGet, AttributeId::kNodeInfo, 0, {1})));
  sm.transport().wait_until(start + seconds(9));
  EXPECT_LT(emulated.clock().now(), start + seconds(6));
  sm.transport().wait_until(start + seconds(9));
  EXPECT_LT(emulated.clock().now(), start + seconds(6))
      << "the clock does not advance while an SMP is queued";
  EXPECT_TRUE(sm.transport().receive());
  EXPECT_FALSE(sm.transport().receive());
  sm.transport().wait_until(TimeNs::max());
  EXPECT_LT(emulated.clock().now(), start + seconds(6))
      << "the clock does not advance without pending events";
}

/// The transaction IDs of the SMPs that the manager receives in a run with faults, in order.
std::string run_with(std::uint64_t seed) {
  const Fabric fabric = two_switches();
  EmulatorOptions options;
  options.seed = seed;
  options.faults = {.lost = 0.1, .doubled = 0.1, .late = 0.2};
  EmulatedFabric emulated(fabric, options);
  SmpTransport& transport = emulated.attach(kH0);
  std::string trace;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Smp smp = directed(Method::kGet, AttributeId::kNodeInfo, 0, i % 2 ? Path{1} : Path{1, 2});
    smp.transaction_id = i;
    EXPECT_TRUE(transport.send(smp));
  }
  emulated.run_for(seconds(5));
  while (const auto received = transport.receive())
    trace += std::to_string(received->transaction_id) + " ";
  return trace;
}

TEST(EventsReplay, EqualSeedsGiveEqualRuns) {
  EXPECT_EQ(run_with(7), run_with(7));
  EXPECT_NE(run_with(7), run_with(8));
}

}  // namespace
}  // namespace weft
