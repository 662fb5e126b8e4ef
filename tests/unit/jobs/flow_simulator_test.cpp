// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/flow_simulator.h"

#include <gtest/gtest.h>

#include "routing/minhop.h"
#include "support/errors.h"
#include "unit/jobs/job_networks.h"

namespace weft::jobs {
namespace {

constexpr double kRate = 1e9;  // bytes per second of the links of a Tiny

/// Builds a schedule of messages between hosts that starts at time 0, without latency.
class Messages {
 public:
  Messages() { builder_.begin_job({.name = "test"}); }
  OpId send(std::uint32_t from, std::uint32_t to, double bytes, OpId after = kNoOp) {
    const OpId op = builder_.send(builder_.connect({.from = from, .to = to}), bytes);
    builder_.depend(op, after);
    return op;
  }
  OpId wait(Picoseconds time, OpId after = kNoOp) {
    const OpId op = builder_.delay(time);
    builder_.depend(op, after);
    return op;
  }
  ScheduleBuilder& builder() { return builder_; }
  Schedule finish() { return std::move(*builder_.finish()); }

 private:
  ScheduleBuilder builder_;
};

SimulationResult simulated(const RoutedNetwork& network, const Schedule& schedule,
                           std::vector<NetworkChange> changes = {}, PathOptions paths = {}) {
  auto result = simulate_flows({.network = network,
                                .schedule = schedule,
                                .paths = paths,
                                .changes = std::move(changes),
                                .only_job = {},
                                .with_usage = true});
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return std::move(*result);
}

double seconds(const RoutedNetwork& network, const Schedule& schedule,
               std::vector<NetworkChange> changes = {}, PathOptions paths = {}) {
  return seconds_of(simulated(network, schedule, std::move(changes), paths).jobs[0].time.end);
}

// H0 H1 - S0 - S1 - H2 H3
RoutedNetwork two_switches() {
  return network_of_tiny(Tiny(2).link(0, 1, 1).hosts(0, 2).hosts(1, 2).build());
}

TEST(FlowSimulator, SharesALinkAndAssignsFreedRateToTheRemainingFlow) {
  Messages messages;
  messages.send(0, 2, 1e6);
  messages.send(1, 3, 3e6);
  // Both messages have half of the rate for 2 ms. Then the second message has the full rate for its
  // remaining 2 MB.
  const Schedule schedule = messages.finish();
  const RoutedNetwork network = two_switches();
  EXPECT_NEAR(seconds(network, schedule), 4e6 / kRate, 1e-11);
  const SimulationResult result = simulated(network, schedule);
  double crossed = 0;
  for (std::uint32_t c = 0; c < network.channel_count(); ++c) crossed += result.usage->total(c);
  EXPECT_NEAR(crossed, 3 * 4e6, 1);  // each message uses three channels
}

TEST(FlowSimulator, StartsAMessageAfterThePredecessors) {
  Messages messages;
  const OpId first = messages.send(0, 2, 1e6);
  const OpId pause = messages.wait(5'000'000, first);
  messages.send(2, 0, 2e6, pause);
  EXPECT_NEAR(seconds(two_switches(), messages.finish()), 3e6 / kRate + 5e-6, 1e-11);
}

TEST(FlowSimulator, OppositeDirectionsOfACableAreIndependent) {
  Messages messages;
  messages.send(0, 2, 1e6);
  messages.send(2, 0, 1e6);
  EXPECT_NEAR(seconds(two_switches(), messages.finish()), 1e6 / kRate, 1e-11);
}

TEST(FlowSimulator, MessagesInsideAHostTakeOnlyTheStartUpTime) {
  ScheduleBuilder builder;
  builder.begin_job({.name = "test", .start_up = 3'000'000, .hop_latency = 1'000'000});
  builder.send(builder.connect({.from = 1, .to = 1}), 1e9);
  EXPECT_EQ(simulated(two_switches(), *builder.finish()).end, 3'000'000);
}

TEST(FlowSimulator, JobsStartAtTheConfiguredTime) {
  Messages messages;
  messages.send(0, 2, 1e6);
  messages.builder().begin_job({.name = "late", .start = 500'000'000});
  messages.builder().send(messages.builder().connect({.from = 1, .to = 3}), 1e6);
  const SimulationResult result = simulated(two_switches(), messages.finish());
  // The first message has the full rate for 0.5 ms. Both messages have half of the rate until the
  // first message ends after 1.5 ms. Then the second message has the full rate.
  EXPECT_NEAR(seconds_of(result.jobs[0].time.end), 1.5e-3, 1e-11);
  EXPECT_NEAR(seconds_of(result.jobs[1].time.end), 2e-3, 1e-11);
}

TEST(FlowSimulator, BackgroundUsesOnlyTheConfiguredRate) {
  Messages messages;
  messages.send(0, 2, 1e6);
  messages.builder().add_background({.connection = {.from = 1, .to = 3}, .rate = 0.25e-3});
  EXPECT_NEAR(seconds(two_switches(), messages.finish()), 1e6 / (0.75 * kRate), 1e-10);
}

// Two leaves with two hosts each, and two spines.
RoutedNetwork network_with_two_spines(std::uint8_t lmc = 0) {
  return network_of_tiny(two_by_two(2, lmc));
}

TEST(FlowSimulator, FlowsOfAFailedChannelWaitForNewRoutes) {
  const RoutedNetwork network = network_with_two_spines();
  Messages messages;
  messages.send(0, 2, 1e6);
  const Schedule schedule = messages.finish();
  std::vector<std::uint32_t> route;
  network.walk(0, 2, 0, route);
  ASSERT_EQ(route.size(), 4U);
  const std::vector<NetworkChange> changes{
      {.time = 400'000'000, .failed = {route[1]}},
      {.time = 900'000'000, .failed = {}, .network = &network}};
  // The new routes equal the old routes here, so the message never ends.
  const auto stuck = simulate_flows(
      {.network = network, .schedule = schedule, .paths = {}, .changes = changes, .only_job = {}});
  EXPECT_EQ(error_of(stuck),
            "job test: the message from 'H0' (H0000000000010000) to 'H2' (H0000000000010020) never "
            "ends: a channel of its path failed, and no route avoids it");
  // With routes that avoid that spine, the message takes 0.4 ms before and 0.6 ms after an outage
  // of 0.5 ms.
  const Fabric fabric = two_by_two(2);
  const std::uint32_t spine = network.channel(route[1]).to;
  std::vector<PortId> cut;
  for (const Port& port : fabric.ports(SwitchId(spine)))
    if (port.peer != kNoPort) cut.push_back(fabric.port_id(NodeId(spine), port.num));
  const auto repaired = repaired_network(fabric, cut);
  auto change = changes;
  change[1].network = &repaired;
  EXPECT_NEAR(seconds(network, schedule, change), 1.5e-3, 1e-11);
}

TEST(FlowSimulator, RefusesAMessageThatTakesMoreThanAMillionSeconds) {
  const RoutedNetwork network = two_switches();
  Messages messages;
  messages.send(0, 2, 2e6 * kRate);
  const Schedule schedule = messages.finish();
  const auto result = simulate_flows(
      {.network = network, .schedule = schedule, .paths = {}, .changes = {}, .only_job = {}});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, Code::kBadInput);
  EXPECT_EQ(error_of(result),
            "job test: the message from 'H0' (H0000000000010000) to 'H2' (H0000000000010020) takes "
            "more than 1000000 s");
}

TEST(FlowSimulator, MessageIsDividedAmongAllPathsOfALidRange) {
  const RoutedNetwork network = network_with_two_spines(1);
  Messages messages;
  messages.send(0, 2, 1e6);
  messages.send(1, 3, 1e6);
  const Schedule schedule = messages.finish();
  EXPECT_NEAR(seconds(network, schedule, {}, {.spread = Spread::kAll}), 1e-3, 1e-11);
}

TEST(FlowSimulator, GreedyAndSplitUseIdlePortsOfAGroup) {
  const RoutedNetwork network = network_of_spec("fattree2:k=4", "ar_ftree");
  // Host h sends to host h + shift. With any static tables, flows of some shift share a link.
  const auto time = [&](PortSelection selection, std::uint32_t shift) {
    Messages messages;
    for (std::uint32_t h = 0; h < network.host_count(); ++h)
      messages.send(h, (h + shift) % network.host_count(), 12.5e6);
    return seconds(network, messages.finish(), {}, {.selection = selection});
  };
  for (std::uint32_t shift = 1; shift < network.host_count(); ++shift) {
    EXPECT_NEAR(time(PortSelection::kSplit, shift), 1e-3, 1e-9);
    EXPECT_LE(time(PortSelection::kGreedy, shift), 2e-3);
  }
}

// H0 H1 - S0 ==== S1 - H2 H3     the default port of S0 has the first cable, the AR group the
// second
TEST(FlowSimulator, UsesTheDefaultPortOnlyIfTheGroupContainsIt) {
  const Fabric fabric = Tiny(2, 16).link(0, 1, 2).hosts(0, 2).hosts(1, 2).build();
  Lfts lfts = route_minhop(fabric, {})->lfts;
  ArTables adaptive(2, fabric.lid_top());
  const std::uint16_t group = adaptive.add_group(SwitchId(0), PortMask(0b100));
  for (const Endport& endport : fabric.endports()) {
    if (endport.sw == SwitchId(0)) continue;
    lfts.set(SwitchId(0), endport.lid, PortNum(1));
    adaptive.set(SwitchId(0), endport.lid, {ArState::kFree, group});
  }
  Messages messages;
  messages.send(0, 2, 1e6);
  messages.send(1, 3, 1e6);
  const auto network = network_of(fabric, lfts, &adaptive);
  ASSERT_TRUE(network);
  EXPECT_NEAR(seconds(*network, messages.finish()), 2e-3, 1e-9) << "both messages on one cable";
}

// All hosts of a group send to the next group. Minimal paths share the cables between both groups;
// private tables of dfp2 have paths over other groups, too.
TEST(FlowSimulator, GreedyAndSplitUsePrivateTables) {
  constexpr const char* kSpec = "dragonflyplus:leaves=4,spines=4,h=2,hosts=4";
  const auto time = [&](const char* engine, PortSelection selection) {
    const RoutedNetwork network = network_of_spec(kSpec, engine);
    Messages messages;
    for (std::uint32_t h = 0; h < 16; ++h) messages.send(h, h + 16, 12.5e6);
    return seconds(network, messages.finish(), {}, {.selection = selection});
  };
  for (const PortSelection selection : {PortSelection::kGreedy, PortSelection::kSplit})
    EXPECT_LT(time("dfp2", selection), 0.8 * time("ar_dfp", selection));
}

TEST(FlowSimulator, NamesBothHostsOfAMissingRoute) {
  Fabric fabric = Tiny(2).hosts(0, 1).hosts(1, 1).build();
  const RoutedNetwork network = network_of_tiny(fabric);
  Messages messages;
  messages.send(0, 1, 1);
  const Schedule schedule = messages.finish();
  EXPECT_EQ(
      error_of(simulate_flows(
          {.network = network, .schedule = schedule, .paths = {}, .changes = {}, .only_job = {}})),
      "job test: no route from 'H0' (H0000000000010000) to 'H1' (H0000000000010010)");
}

}  // namespace
}  // namespace weft::jobs
