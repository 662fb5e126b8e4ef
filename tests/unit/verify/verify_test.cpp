// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/tiny.h"
#include "verify/copies/copied_lids.h"

namespace weft {
namespace {

/// Routes with the local entries only: port 0 for the LID of the switch, and the ports of its
/// hosts. Tests add the other entries.
Routes local_routes(const Fabric& fabric) {
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  for (const Endport& endport : fabric.endports())
    for (unsigned i = 0; i < 1u << endport.lmc; ++i)
      routes.lfts.set(endport.sw, Lid(static_cast<std::uint16_t>(endport.lid.value() + i)),
                      endport.sw_port);
  return routes;
}

/// Sets the entries of `from` for all LIDs at `to` to the first channel from `from` to `via`.
void send(Routes& routes, const Fabric& fabric, SwitchId from, SwitchId to, SwitchId via) {
  for (const Channel& channel : fabric.channels_from(from)) {
    if (channel.to != via) continue;
    for (const Endport& endport : fabric.endports())
      if (endport.sw == to) routes.lfts.set(from, endport.lid, channel.from_port);
    return;
  }
  FAIL() << "the fabric has no channel between the two switches";
}

//  H0 - S0 - S1 - H1     LID 40 is a copy of the LID of H1
TEST(CopiedLids, DifferIfAnEntryOfATableDiffers) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  Routes routes = local_routes(fabric);
  send(routes, fabric, kS0, kS1, kS1);
  routes.adaptive.emplace(2, fabric.lid_top()).add_private_table();
  routes.adaptive->set_numbers({{0, 0, 0, 0, 5}, {}});
  const Lid of = fabric.endport(fabric.endports_at(kS1)[0]).lid, copy(40);
  const std::vector<LidCopy> copies{{copy, of}};
  copy_lids(fabric, copies, routes);
  EXPECT_EQ(count_differing_copies(routes, copies), 0u);
  Routes broken = routes;
  broken.lfts.set(kS0, copy, kNoRoute);
  EXPECT_EQ(count_differing_copies(broken, copies), 1u);
  for (const unsigned table : {0u, 1u}) {
    broken = routes;
    ArTables& tables = table == 0 ? *broken.adaptive : broken.adaptive->private_table(table);
    PortMask ports;
    ports.set(routes.lfts.port(kS0, of).value());
    tables.add_group(kS0, ports);
    tables.set(kS0, copy, {ArState::kFree, 0});
    EXPECT_EQ(count_differing_copies(broken, copies), 1u) << "in table " << table;
  }
  broken = routes;
  broken.adaptive->set_numbers({{0, 0, 0, 0, 5}, {}});
  EXPECT_EQ(count_differing_copies(broken, copies), 2u) << "the copy has no group number";
}

//  H0 - S0 - S1 - H1     with routes between all endports
TEST(Verify, FindsALineReachableAndFreeOfCreditLoops) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  Routes routes = local_routes(fabric);
  send(routes, fabric, kS0, kS1, kS1);
  send(routes, fabric, kS1, kS0, kS0);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.ca_to_ca.pairs, 2u);
  EXPECT_EQ(verdict.ca_to_ca.arrived, 2u);
  EXPECT_EQ(verdict.switch_to_ca.pairs, 4u);
  EXPECT_EQ(verdict.switch_to_ca.arrived, 4u);
  EXPECT_EQ(verdict.ca_to_switch.arrived, 4u);
  EXPECT_EQ(verdict.switch_to_switch.arrived, 2u);
  EXPECT_EQ(verdict.dependencies, 0u);
}

// A ring S0 -> S1 -> S2 -> S3 -> S0 with clockwise paths only, so its four channels form a cycle of
// dependencies.
Routes clockwise_ring(const Fabric& fabric) {
  Routes routes = local_routes(fabric);
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to)
      if (from != to) send(routes, fabric, SwitchId(from), SwitchId(to), SwitchId((from + 1) % 4));
  return routes;
}

TEST(Verify, ReportsAPairForEachDependencyOfARing) {
  const Fabric fabric = ring_of_four();
  const Verdict verdict = verify(fabric, clockwise_ring(fabric));
  EXPECT_TRUE(verdict.ca_to_ca.all());
  EXPECT_FALSE(verdict.ok());
  ASSERT_EQ(verdict.credit_loop.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Channel& here = fabric.channel(verdict.credit_loop[i].channel);
    const Channel& next = fabric.channel(verdict.credit_loop[(i + 1) % 4].channel);
    EXPECT_EQ(here.to, next.from);
  }
  const std::string text = describe_cycle(fabric, verdict.credit_loop);
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_NE(text.find("'S0' (0x0000000000000100) port"), std::string::npos);
}

/// The input port of the channel of the ring from `from` to `to`.
PortNum ring_input(const Fabric& fabric, SwitchId from, SwitchId to) {
  for (const Channel& channel : fabric.channels_from(from))
    if (channel.to == to) return channel.to_port;
  return kNoRoute;
}

PortNum ring_output(const Fabric& fabric, SwitchId from, SwitchId to) {
  return ring_input(fabric, to, from);
}

// The dateline is between S3 and S0. Pairs with paths that cross it have SL 1. After the dateline,
// at S0 and S1, these packets are on VL 1.
TEST(Verify, AcceptsARingWithADateline) {
  const Fabric fabric = ring_of_four();
  Routes routes = clockwise_ring(fabric);
  std::vector<std::uint8_t> sl(16, 0);
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < from; ++to) sl[from * 4 + to] = 1;
  routes.path_sl = PathSl::by_switch_pair(4, sl);
  EXPECT_TRUE(verify(fabric, routes).has_credit_loop());

  SlMap crossed = modulo_map(1);
  crossed[1] = 1;
  routes.sl2vl.set(kS0, ring_input(fabric, kS3, kS0), ring_output(fabric, kS0, kS1), crossed);
  EXPECT_TRUE(verify(fabric, routes).has_credit_loop())
      << "the map of one switch alone must not break the cycle";
  routes.sl2vl.set(kS1, ring_input(fabric, kS0, kS1), ring_output(fabric, kS1, kS2), crossed);
  EXPECT_TRUE(verify(fabric, routes, {.ignore_replies = true}).ok());
  EXPECT_TRUE(verify(fabric, routes).has_credit_loop())
      << "replies to requests that do not cross the dateline cross it on SL 0";
}

TEST(Verify, CountsDroppedPacketsAsNotArrived) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  Routes routes = local_routes(fabric);
  send(routes, fabric, kS0, kS1, kS1);
  send(routes, fabric, kS1, kS0, kS0);
  SlMap drop{};
  drop.fill(15);
  routes.sl2vl.set(kS0, PortNum(2), PortNum(1), drop);  // from the port of the host to S1
  const Verdict verdict = verify(fabric, routes);
  EXPECT_EQ(verdict.ca_to_ca.arrived, 1u);
  EXPECT_FALSE(verdict.ok());
}

TEST(Verify, ReportsHolesWrongEndportsDeadPortsAndLoops) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0, 2).hosts(2).build();
  const Lid far = fabric.endport(fabric.endports_at(kS2)[0]).lid;
  Routes routes = local_routes(fabric);
  const auto end_at_s0 = [&](PortNum port) {
    routes.lfts.set(kS0, far, port);
    const Verdict verdict = verify(fabric, routes);
    EXPECT_FALSE(verdict.ok());
    for (const WalkFailure& failure : verdict.failures)
      if (failure.lid == far && fabric.endport(failure.source).sw == kS0) return failure.end;
    return WalkEnd::kArrived;
  };
  EXPECT_EQ(end_at_s0(kNoRoute), WalkEnd::kUnrouted);
  EXPECT_EQ(end_at_s0(PortNum(0)), WalkEnd::kWrongEndport);
  EXPECT_EQ(end_at_s0(PortNum(2)), WalkEnd::kWrongEndport);  // the port of a host of S0
  EXPECT_EQ(end_at_s0(PortNum(7)), WalkEnd::kDeadPort);
  EXPECT_EQ(end_at_s0(PortNum(200)), WalkEnd::kDeadPort);
  routes.lfts.set(kS1, far, PortNum(1));  // S1 sends back to S0
  EXPECT_EQ(end_at_s0(PortNum(1)), WalkEnd::kLoop);
  EXPECT_EQ(verify(fabric, routes).loops, 2u);
}

TEST(Verify, CountsBrokenSwitches) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(2).build();
  Routes routes = local_routes(fabric);
  send(routes, fabric, kS0, kS2, kS1);
  send(routes, fabric, kS2, kS0, kS1);  // S1 has no entries for S0 and S2
  send(routes, fabric, kS0, kS1, kS1);
  send(routes, fabric, kS2, kS1, kS1);
  const Verdict verdict = verify(fabric, routes);
  ASSERT_EQ(verdict.broken.size(), 1u);
  EXPECT_EQ(verdict.broken[0].sw, kS1);
  EXPECT_EQ(verdict.broken[0].walks,
            6u);  // from S1 to both hosts; from each host to the other host and its switch
}

TEST(Verify, IsEqualForAnyNumberOfThreads) {
  const Fabric fabric = ring_of_four();
  const Routes routes = clockwise_ring(fabric);
  const std::string one =
      describe_cycle(fabric, verify(fabric, routes, {.threads = 1}).credit_loop);
  for (const unsigned threads : {2u, 8u})
    EXPECT_EQ(describe_cycle(fabric, verify(fabric, routes, {.threads = threads}).credit_loop),
              one);
}

// Only S0 and S1 have hosts. Packets between CAs close no cycle; packets of S2 and S3 close it.
TEST(Verify, SeparatesLoopsThatNeedPacketsOfSwitches) {
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(1).build();
  const Verdict verdict = verify(fabric, clockwise_ring(fabric));
  EXPECT_FALSE(verdict.ok());
  EXPECT_FALSE(verdict.has_credit_loop());
  ASSERT_EQ(verdict.switch_credit_loop.size(), 4u);
  for (const CycleHop& hop : verdict.switch_credit_loop) {
    const bool from_switch = fabric.is_switch(fabric.endport(hop.source).node);
    const bool to_switch = fabric.is_switch(fabric.endport(fabric.endport_of(hop.lid)).node);
    EXPECT_FALSE(from_switch && to_switch) << "switches send no packets to each other";
  }
}

}  // namespace
}  // namespace weft
