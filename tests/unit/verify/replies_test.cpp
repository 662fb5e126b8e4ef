// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replies use the reverse path on the SL of the request. So VLs on which requests form no cycle may
// have a cycle with replies. The tests include port 0 of switches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/tiny.h"
#include "unit/verify/tables.h"
#include "verify/failure_text.h"
#include "verify/verify.h"

namespace weft {
namespace {

/// The VL of each path, by source and destination switch.
using Lanes = std::uint8_t[4][4];

// A ring S0 -> S1 -> S2 -> S3 -> S0. Paths between neighbors are direct, paths between opposite
// switches clockwise. The four paths of two hops close a cycle on one VL, so they need two VLs.
Routes clockwise(const Fabric& fabric) {
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  for (const Endport& to : fabric.endports()) {
    for (std::uint32_t s = 0; s < 4; ++s) {
      if (to.sw == SwitchId(s)) {
        routes.lfts.set(to.sw, to.lid, to.sw_port);
        continue;
      }
      const std::uint32_t distance = (to.sw.value() + 4 - s) % 4;
      const SwitchId next(distance == 3 ? (s + 3) % 4 : (s + 1) % 4);
      for (const Channel& channel : fabric.channels_from(SwitchId(s)))
        if (channel.to == next) routes.lfts.set(SwitchId(s), to.lid, channel.from_port);
    }
  }
  routes.vls = routes.vls_needed = 2;
  routes.sl2vl = Sl2Vl(modulo_map(2));
  return routes;
}

// Each VL has two of the paths of two hops. The path from S0 to S2 shares its VL with the path from
// S1 to S3 (kOneWay) or from S2 to S0 (kBothWays).
constexpr Lanes kOneWay = {{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
constexpr Lanes kBothWays = {{0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}, {0, 1, 0, 0}};

PathSl by_pair(const Lanes& lanes) {
  std::vector<std::uint8_t> table;
  for (const auto& row : lanes)
    for (const std::uint8_t lane : row) table.push_back(lane);
  return PathSl::by_switch_pair(4, std::move(table));
}

PathSl by_lid(const Fabric& fabric, const Lanes& lanes) {
  const std::size_t stride = std::size_t{fabric.lid_top().value()} + 1;
  std::vector<std::uint8_t> table(4 * stride, 0);
  for (std::uint32_t s = 0; s < 4; ++s)
    for (const Endport& to : fabric.endports())
      table[s * stride + to.lid.value()] = lanes[s][to.sw.value()];
  return PathSl::by_switch_and_lid(4, fabric.lid_top(), std::move(table));
}

void expect_only_replies_to_deadlock(const Fabric& fabric, const Routes& routes) {
  const Verdict one_way = verify(fabric, routes, {.ignore_replies = true});
  EXPECT_TRUE(one_way.ok()) << failure_text(one_way);
  EXPECT_TRUE(one_way.replies_ignored);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_FALSE(verdict.ok());
  ASSERT_EQ(verdict.credit_loop.size(), 4u);
  EXPECT_TRUE(std::ranges::any_of(verdict.credit_loop, &CycleHop::reply));
  EXPECT_THAT(describe_cycle(fabric, verdict.credit_loop), testing::HasSubstr(": replies of 'H"));
}

TEST(Replies, FormACreditLoopThatRequestsDoNot) {
  const Fabric fabric = ring_of_four();
  Routes routes = clockwise(fabric);
  routes.path_sl = by_pair(kOneWay);
  expect_only_replies_to_deadlock(fabric, routes);
  routes.path_sl = by_lid(fabric, kOneWay);
  expect_only_replies_to_deadlock(fabric, routes);
}

TEST(Replies, CountWhenTheSlDependsOnTheDestinationOnly) {
  const Fabric fabric = ring_of_four();
  Routes routes = clockwise(fabric);
  std::vector<std::uint8_t> lanes(std::size_t{fabric.lid_top().value()} + 1, 0);
  for (const Endport& to : fabric.endports()) lanes[to.lid.value()] = to.sw.value() < 2 ? 0 : 1;
  routes.path_sl = PathSl::by_destination(std::move(lanes));
  expect_only_replies_to_deadlock(fabric, routes);
}

TEST(Replies, FormNoCycleIfBothDirectionsUseOneVl) {
  const Fabric fabric = ring_of_four();
  Routes routes = clockwise(fabric);
  routes.path_sl = by_pair(kBothWays);
  EXPECT_TRUE(verify(fabric, routes).ok());
  routes.path_sl = by_lid(fabric, kBothWays);
  EXPECT_TRUE(verify(fabric, routes).ok());
}

// Routes with SL2VL maps by port: one switch has maps of its own, which assign the same VLs as the
// common map.
TEST(Replies, CountWhenVlsDependOnPorts) {
  const Fabric fabric = ring_of_four();
  Routes routes = clockwise(fabric);
  SlMap other = modulo_map(2);
  other[15] = 0;
  routes.sl2vl.set(SwitchId(0), PortNum(1), PortNum(2), other);
  routes.path_sl = by_pair(kOneWay);
  expect_only_replies_to_deadlock(fabric, routes);
  routes.path_sl = by_pair(kBothWays);
  EXPECT_TRUE(verify(fabric, routes).ok());
}

TEST(Replies, CountWhenRoutesAreAdaptive) {
  const Fabric fabric = ring_of_four();
  Routes routes = clockwise(fabric);
  routes.adaptive.emplace(fabric.switch_count(), fabric.lid_top());
  routes.path_sl = by_pair(kOneWay);
  expect_only_replies_to_deadlock(fabric, routes);
  routes.path_sl = by_pair(kBothWays);
  EXPECT_TRUE(verify(fabric, routes).ok());
}

// Only the path to the second LID of H2 shares a VL with the path from S1 to S3, and only the reply
// on this path closes the cycle.
TEST(Replies, CountForEachLidOfARange) {
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(1).hosts(2).hosts(3).build(
          1);
  Routes routes = clockwise(fabric);
  const Endport& h2 = fabric.endport(fabric.endports_at(kS2)[0]);
  ASSERT_EQ(h2.lmc, 1);
  for (const Endport& to : fabric.endports())
    for (const Lid lid : lids_of(to))
      for (std::uint32_t s = 0; s < 4; ++s)
        routes.lfts.set(SwitchId(s), lid, routes.lfts.port(SwitchId(s), to.lid));
  const std::size_t stride = std::size_t{fabric.lid_top().value()} + 1;
  std::vector<std::uint8_t> table(4 * stride, 0);
  for (std::uint32_t s = 0; s < 4; ++s)
    for (const Endport& to : fabric.endports())
      for (const Lid lid : lids_of(to))
        table[s * stride + lid.value()] = kBothWays[s][to.sw.value()];
  const auto with_table = [&] { return PathSl::by_switch_and_lid(4, fabric.lid_top(), table); };
  const Lid second(static_cast<std::uint16_t>(h2.lid.value() + 1));
  SlMap other = modulo_map(2);
  other[15] = 0;
  for (const Sl2Vl& maps : {Sl2Vl(modulo_map(2)), [&] {
                              Sl2Vl by_port(modulo_map(2));
                              by_port.set(SwitchId(0), PortNum(1), PortNum(2), other);
                              return by_port;
                            }()}) {
    routes.sl2vl = maps;
    table[0 * stride + second.value()] = 0;
    routes.path_sl = with_table();
    EXPECT_TRUE(verify(fabric, routes).ok());
    table[0 * stride + second.value()] = 1;
    routes.path_sl = with_table();
    expect_only_replies_to_deadlock(fabric, routes);
    Routes adaptive = routes;
    adaptive.adaptive.emplace(fabric.switch_count(), fabric.lid_top());
    expect_only_replies_to_deadlock(fabric, adaptive);
  }
}

// Only S0 and S1 have hosts, so the paths from S2 to S0 and from S3 to S1 are of packets from port
// 0.
TEST(Replies, OfPortZeroFormACreditLoopOfSwitches) {
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(1).build();
  Routes routes = clockwise(fabric);
  routes.path_sl = by_pair(kOneWay);
  EXPECT_TRUE(verify(fabric, routes, {.ignore_replies = true}).ok());
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.credit_loop.empty());
  EXPECT_EQ(verdict.switch_credit_loop.size(), 4u);
  EXPECT_FALSE(verdict.ok());
  EXPECT_THAT(failure_text(verdict), testing::HasSubstr("packets of switches"));
}

// Only S0 and S1 have hosts. Requests from S2 to S0 have a separate VL, so only the replies of S2
// close a cycle on the other VL.
TEST(Replies, OfPortZeroCountWhenTheSlDependsOnTheLid) {
  constexpr Lanes kAllButOne = {{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}};
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(1).build();
  Routes routes = clockwise(fabric);
  for (const PathSl& sls : {by_pair(kAllButOne), by_lid(fabric, kAllButOne)}) {
    routes.path_sl = sls;
    EXPECT_TRUE(verify(fabric, routes, {.ignore_replies = true}).ok());
    EXPECT_EQ(verify(fabric, routes).switch_credit_loop.size(), 4u);
  }
}

// S3 has no host. Clockwise paths: between the CAs of S0 and S2, and between S1 and port 0 of S3.
// Packets to port 0 of S0 and of S2 go in the opposite direction.
TEST(SwitchLoops, AreFoundAcrossPacketsOfCasAndOfSwitches) {
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(1).hosts(2).build();
  Routes routes = clockwise(fabric);
  const auto send = [&](SwitchId at, SwitchId to_port_0_of, SwitchId next) {
    for (const Channel& channel : fabric.channels_from(at))
      if (channel.to == next)
        routes.lfts.set(at, fabric.endport(Fabric::endport_of(to_port_0_of)).lid,
                        channel.from_port);
  };
  send(kS0, kS2, kS3);
  send(kS2, kS0, kS1);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.credit_loop.empty());
  EXPECT_EQ(verdict.switch_credit_loop.size(), 4u);
}

TEST(SingleSl, IsNeverSafeIfOneVlHasACycle) {
  const Fabric fabric = ring_of_four();
  Routes routes = clockwise(fabric);
  routes.path_sl = by_pair(kBothWays);
  EXPECT_EQ(verify(fabric, routes).single_sls, 0u);
  SlMap other = modulo_map(2);
  other[15] = 0;
  routes.sl2vl.set(SwitchId(0), PortNum(1), PortNum(2), other);
  EXPECT_EQ(verify(fabric, routes).single_sls, 0u);
}

// Only S0 and S1 have hosts. On one VL the packets of port 0 close the cycle.
TEST(SingleSl, IsNotSafeIfPacketsOfSwitchesCloseACycle) {
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(1).build();
  Routes routes = clockwise(fabric);
  routes.path_sl = by_pair(kBothWays);
  EXPECT_TRUE(verify(fabric, routes).ok());
  EXPECT_EQ(verify(fabric, routes).single_sls, 0u);
}

//  H0 - S0 - S1 - H1     with routes between all endports
Routes two_switches(const Fabric& fabric) {
  Routes routes;
  routes.lfts = Lfts(2, fabric.lid_top());
  for (const Endport& to : fabric.endports()) {
    const SwitchId other(1 - to.sw.value());
    routes.lfts.set(to.sw, to.lid, to.sw_port);
    routes.lfts.set(other, to.lid, fabric.channels_from(other).front().from_port);
  }
  return routes;
}

TEST(SingleSl, IsSafeOnALineUnlessDropped) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  Routes routes = two_switches(fabric);
  EXPECT_EQ(verify(fabric, routes).single_sls, 0xFFFFu);
  SlMap map = modulo_map(2);
  map[3] = 15;
  routes.sl2vl = Sl2Vl(map);
  EXPECT_EQ(verify(fabric, routes).single_sls, 0xFFF7u);
  routes.sl2vl.set(SwitchId(0), PortNum(1), PortNum(2), modulo_map(1));
  EXPECT_EQ(verify(fabric, routes).single_sls, 0xFFF7u);
}

TEST(SingleSl, ListsRanges) {
  EXPECT_EQ(sl_ranges(0), "none");
  EXPECT_EQ(sl_ranges(0xFFFF), "0-15");
  EXPECT_EQ(sl_ranges(0b1000'0110'0001), "0, 5-6, 11");
}

// H0 - S0 - S1 - H1 with routes on VL 1. The cable between the switches, or that of H1, has only
// one data VL.
TEST(MissingLanes, FailIfALinkHasFewerVlsAndReportThePort) {
  for (const bool between : {true, false}) {
    Tiny tiny(2);
    tiny.link(0, 1).hosts(0).hosts(1);
    FabricBuilder::PortSpec narrow;
    narrow.data_vls = 1;
    ASSERT_TRUE(tiny.builder().describe_port(1, PortNum(between ? 1 : 2), narrow).has_value());
    const Fabric fabric = tiny.build();
    Routes routes = two_switches(fabric);
    EXPECT_TRUE(verify(fabric, routes).ok());
    SlMap map{};
    map.fill(1);
    for (const bool by_port : {false, true}) {
      for (const bool adaptive : {false, true}) {
        routes.sl2vl = Sl2Vl(map);
        if (by_port) routes.sl2vl.set(SwitchId(0), PortNum(5), PortNum(6), modulo_map(2));
        if (adaptive) {
          routes.adaptive.emplace(2, fabric.lid_top());
        } else {
          routes.adaptive.reset();
        }
        const Verdict verdict = verify(fabric, routes);
        EXPECT_FALSE(verdict.ok());
        // Both ends of the link send on VL 1. For a CA the verifier determines the VL only if all
        // maps are the same.
        EXPECT_EQ(verdict.lanes_missing, between || !by_port ? 2u : 1u);
        ASSERT_EQ(verdict.lane_failures.size(), verdict.lanes_missing);
        EXPECT_EQ(verdict.lane_failures[0].vl, Vl(1));
        EXPECT_EQ(verdict.lane_failures[0].vls, 1u);
        EXPECT_EQ(
            describe(fabric, verdict.lane_failures[0].port),
            between ? "'S0' (0x0000000000000100) port 1" : "'S1' (0x0000000000000101) port 2");
        EXPECT_EQ(verdict.single_sls, 0u);
      }
    }
  }
}

// H0 - S0 - S1 - H1 with unicast on VL 0. A multicast group of both hosts is on SL 1, which maps to
// VL 1.
TEST(MissingLanes, FailIfALinkHasFewerVlsThanMulticastNeeds) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0).hosts(1);
  FabricBuilder::PortSpec narrow;
  narrow.data_vls = 1;
  ASSERT_TRUE(tiny.builder().describe_port(1, PortNum(1), narrow).has_value());
  const Fabric fabric = tiny.build();
  for (const bool adaptive : {false, true}) {
    Routes routes = two_switches(fabric);
    if (adaptive) routes.adaptive.emplace(2, fabric.lid_top());
    routes.sl2vl = Sl2Vl(modulo_map(2));
    const Lid mlid(0xC000);
    for (const SwitchId sw : {SwitchId(0), SwitchId(1)}) routes.mfts[mlid][sw].set(1).set(2);
    EXPECT_TRUE(verify(fabric, routes).ok());
    EXPECT_TRUE(verify(fabric, routes).multicast_ok());
    routes.multicast_sl[mlid] = Sl(1);
    const Verdict verdict = verify(fabric, routes);
    EXPECT_FALSE(verdict.ok());
    EXPECT_EQ(verdict.lanes_missing, 2u)
        << "both ends of the cable between the switches must lack the VL";
  }
}

// H0 - S0 - S1 - H1; S2 is cabled to S0 and S1 and has no hosts.
TEST(SwitchReach, IsPartOfTheVerdict) {
  const Fabric fabric = Tiny(3).link(0, 1).link(0, 2).link(1, 2).hosts(0).hosts(1).build();
  Routes routes;
  routes.lfts = Lfts(3, fabric.lid_top());
  for (const Endport& to : fabric.endports()) {
    for (std::uint32_t s = 0; s < 3; ++s)
      for (const Channel& channel : fabric.channels_from(SwitchId(s)))
        if (channel.to == to.sw) routes.lfts.set(SwitchId(s), to.lid, channel.from_port);
    routes.lfts.set(to.sw, to.lid, to.sw_port);
  }
  EXPECT_TRUE(verify(fabric, routes).ok());
  const Lid spine = fabric.endport(Fabric::endport_of(SwitchId(2))).lid;
  Routes lost = routes;
  lost.lfts.set(SwitchId(0), spine, kNoRoute);
  const Verdict to_switch = verify(fabric, lost);
  EXPECT_FALSE(to_switch.ok());
  EXPECT_EQ(failure_text(to_switch), "1 of 6 CA to switch pairs are not connected");
  ASSERT_EQ(to_switch.failures.size(), 1u);
  EXPECT_EQ(to_switch.failures[0].lid, spine);
  lost = routes;
  lost.lfts.set(SwitchId(2), fabric.endports().back().lid, kNoRoute);
  const Verdict from_switch = verify(fabric, lost);
  EXPECT_FALSE(from_switch.ok());
  EXPECT_EQ(failure_text(from_switch), "1 of 6 switch to CA pairs are not connected");
}

//  H0 - S0    S1 - H1    no cable joins S0 and S1
TEST(SwitchReach, IgnoresPairsThatNoCablesConnect) {
  const Fabric fabric = Tiny(2).hosts(0).hosts(1).build();
  Routes routes;
  routes.lfts = Lfts(2, fabric.lid_top());
  for (const Endport& to : fabric.endports()) routes.lfts.set(to.sw, to.lid, to.sw_port);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.switches_ok());
  EXPECT_EQ(verdict.ca_to_switch.cut_off, 2u);
  EXPECT_FALSE(verdict.ok());
  EXPECT_EQ(failure_text(verdict), "2 of 2 CA pairs are not connected by cables");
}

TEST(Verify, ReportsTheReasonIfNothingCanBeVerified) {
  const auto empty = [](const Fabric& fabric) {
    Routes routes;
    routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
    return verify(fabric, routes).empty;
  };
  EXPECT_EQ(empty(Tiny(2).link(0, 1).build()), "the fabric has no CA with a link");
  EXPECT_EQ(empty(*Tiny(1).hosts(0, 2).builder().build()), "no port of the fabric has a LID");
  EXPECT_EQ(empty(Tiny(1).hosts(0, 2).build()), "");
}

}  // namespace
}  // namespace weft
