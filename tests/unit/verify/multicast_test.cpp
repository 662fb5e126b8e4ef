// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verdicts on multicast tables: each kind of wrong copy, and cycles of multicast and unicast
// packets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::HasSubstr;

constexpr Lid kGroup{0xC000};

PortMask ports(std::initializer_list<unsigned> list) {
  PortMask mask;
  for (const unsigned port : list) mask.set(port);
  return mask;
}

/// Unicast routes of a fabric: the first shortest way.
Routes shortest_routes(const Fabric& fabric) {
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  for (const Endport& to : fabric.endports()) {
    std::vector<unsigned> hops(fabric.switch_count(), 1000);
    hops[to.sw.value()] = 0;
    routes.lfts.set(to.sw, to.lid, to.sw_port);
    for (unsigned round = 0; round < fabric.switch_count(); ++round)
      for (const Channel& channel : fabric.channels()) {
        if (hops[channel.to.value()] + 1 >= hops[channel.from.value()]) continue;
        hops[channel.from.value()] = hops[channel.to.value()] + 1;
        routes.lfts.set(channel.from, to.lid, channel.from_port);
      }
  }
  return routes;
}

//  H0 - S0 - S1 - H1, H2 also at S1: cables on ports 1, hosts behind them
struct Line {
  Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1, 2).build();
  Routes routes = shortest_routes(fabric);
  EndportId h0 = fabric.endports_at(kS0)[0];
  EndportId h1 = fabric.endports_at(kS1)[0];
  EndportId h2 = fabric.endports_at(kS1)[1];
  std::vector<MulticastGroup> groups{{kGroup, {h0, h1}, {}}};

  Line() { routes.mfts[kGroup] = {{kS0, ports({1, 2})}, {kS1, ports({1, 2})}}; }
  Verdict verdict() const { return verify(fabric, routes, {.groups = groups}); }
};

TEST(VerifyMulticast, AcceptsOneCopyForEachOtherMember) {
  const Line line;
  const Verdict verdict = line.verdict();
  EXPECT_TRUE(verdict.multicast_ok());
  EXPECT_EQ(verdict.multicast.groups, 1u);
  EXPECT_EQ(verdict.multicast.copies, 2u);
  EXPECT_EQ(verdict.multicast.arrived, 2u);
  EXPECT_EQ(verdict.multicast.strangers, 0u);
}

TEST(VerifyMulticast, TakesMembersFromTheTablesWithoutAList) {
  Line line;
  line.groups.clear();
  line.routes.mfts[kGroup][kS1] = ports({1, 2, 3});
  const Verdict verdict = line.verdict();
  EXPECT_TRUE(verdict.multicast_ok());
  EXPECT_EQ(verdict.multicast.copies, 6u);
}

TEST(VerifyMulticast, ReportsTheMemberThatReceivesNoCopy) {
  Line line;
  line.routes.mfts[kGroup][kS0] = ports({2});
  const Verdict verdict = line.verdict();
  EXPECT_FALSE(verdict.multicast_ok());
  EXPECT_TRUE(verdict.ok()) << "unicast is well";
  EXPECT_EQ(verdict.multicast.arrived, 1u);
  ASSERT_EQ(verdict.multicast.failures.size(), 1u);
  EXPECT_EQ(verdict.multicast.failures[0].fault, CopyFault::kMissing);
  EXPECT_EQ(verdict.multicast.failures[0].target, line.h1);
  EXPECT_EQ(
      describe(line.fabric, verdict.multicast.failures[0]),
      "'H0' (0x0000000000010000) port 1 to 0xC000: no copy delivered to 'H1' (0x0000000000010010) "
      "port 1");
}

TEST(VerifyMulticast, DeliversNothingForAGroupWithoutTables) {
  Line line;
  line.routes.mfts.clear();
  EXPECT_EQ(line.verdict().multicast.arrived, 0u);
  EXPECT_EQ(line.verdict().multicast.copies, 2u);
}

TEST(VerifyMulticast, CountsCopiesToNonMembersAndUnconnectedPorts) {
  Line line;
  line.routes.mfts[kGroup][kS1] = ports({1, 2, 3, 7, 200});
  const Verdict verdict = line.verdict();
  EXPECT_TRUE(verdict.multicast_ok());
  EXPECT_EQ(verdict.multicast.strangers, 2u);   // of both senders
  EXPECT_EQ(verdict.multicast.dead_ports, 4u);  // two ports
}

TEST(VerifyMulticast, RequiresOnlyAPathIntoTheTreeForSendOnlyMembers) {
  Line line;
  line.groups[0] = {kGroup, {line.h1}, {line.h0}};
  line.routes.mfts[kGroup] = {{kS0, ports({1})}, {kS1, ports({2})}};
  const Verdict verdict = line.verdict();
  EXPECT_TRUE(verdict.multicast_ok());
  EXPECT_EQ(verdict.multicast.copies, 1u);
}

TEST(VerifyMulticast, TreatsPortZeroOfASwitchAsAMember) {
  Line line;
  line.groups[0].members = {Fabric::endport_of(kS1), line.h0};
  line.routes.mfts[kGroup] = {{kS0, ports({1, 2})}, {kS1, ports({0, 1})}};
  EXPECT_TRUE(line.verdict().multicast_ok());
  line.routes.mfts[kGroup][kS1] = ports({1});
  EXPECT_EQ(line.verdict().multicast.arrived, 1u);
}

//  S0 = S1: two cables, copies by both
TEST(VerifyMulticast, FindsDuplicateCopies) {
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0).hosts(1).build();
  Routes routes = shortest_routes(fabric);
  routes.mfts[kGroup] = {{kS0, ports({1, 2, 3})}, {kS1, ports({3})}};
  const Verdict verdict = verify(fabric, routes);
  EXPECT_FALSE(verdict.multicast_ok());
  EXPECT_EQ(verdict.multicast.twice, 1u);  // that of H0; S1 does not forward that of H1
  EXPECT_EQ(verdict.multicast.loops, 0u);
}

/// The port of a channel between neighbours.
unsigned toward(const Fabric& fabric, SwitchId from, SwitchId to) {
  for (const Channel& channel : fabric.channels_from(from))
    if (channel.to == to) return channel.from_port.value();
  CHECK(false);
  return 0;
}

TEST(VerifyMulticast, FindsLoopingCopies) {
  const Fabric fabric = ring_of_four();
  Routes routes = shortest_routes(fabric);
  for (std::uint32_t s = 0; s < 4; ++s) {
    const SwitchId sw(s), next((s + 1) % 4), before((s + 3) % 4);
    routes.mfts[kGroup][sw] = ports({3, toward(fabric, sw, next), toward(fabric, sw, before)});
  }
  const Verdict verdict = verify(fabric, routes);
  EXPECT_FALSE(verdict.multicast_ok());
  EXPECT_GT(verdict.multicast.loops, 0u);
}

/// Unicast packets from S3 by way of S0 and from S0 by way of S1 turn right; multicast ones do from
/// S1 by way of S2 to S3, and from S2 by way of S3 to S0 in another group.
Routes half_of_a_circle(const Fabric& fabric) {
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  const auto hop = [&](SwitchId at, SwitchId to, SwitchId next) {
    for (const Endport& endport : fabric.endports())
      if (endport.sw == to)
        routes.lfts.set(at, endport.lid,
                        PortNum(static_cast<std::uint8_t>(toward(fabric, at, next))));
  };
  for (const Endport& endport : fabric.endports())
    routes.lfts.set(endport.sw, endport.lid, endport.sw_port);
  for (std::uint32_t s = 0; s < 4; ++s) {
    hop(SwitchId(s), SwitchId((s + 1) % 4), SwitchId((s + 1) % 4));
    hop(SwitchId(s), SwitchId((s + 3) % 4), SwitchId((s + 3) % 4));
  }
  hop(kS3, kS1, kS0);
  hop(kS0, kS2, kS1);
  hop(kS1, kS3, kS0);  // opposite direction
  hop(kS2, kS0, kS1);
  return routes;
}

TEST(VerifyMulticast, FindsCyclesOfMulticastWithUnicast) {
  const Fabric fabric = ring_of_four();
  Routes routes = half_of_a_circle(fabric);
  ASSERT_TRUE(verify(fabric, routes).ok());
  const auto line = [&](Lid mlid, SwitchId a, SwitchId b, SwitchId c) {
    routes.mfts[mlid] = {{a, ports({3, toward(fabric, a, b)})},
                         {b, ports({toward(fabric, b, a), toward(fabric, b, c)})},
                         {c, ports({3, toward(fabric, c, b)})}};
  };
  line(kGroup, kS1, kS2, kS3);
  EXPECT_TRUE(verify(fabric, routes).multicast_ok()) << "three of four turns";
  line(Lid(0xC001), kS2, kS3, kS0);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict.multicast.ok());
  ASSERT_EQ(verdict.multicast_credit_loop.size(), 4u);
  EXPECT_FALSE(verdict.multicast_ok());
  const std::string text = describe_cycle(fabric, verdict.multicast_credit_loop);
  EXPECT_THAT(text, HasSubstr("to multicast LID 0xC000\n"));
  EXPECT_THAT(text, HasSubstr("to multicast LID 0xC001\n"));
  EXPECT_THAT(text, HasSubstr("to LID 7 ('H2' (0x0000000000010020))\n"));
  EXPECT_THAT(text, HasSubstr("to LID 6 ('H1' (0x0000000000010010))\n"));

  SlMap map = modulo_map(2);
  routes.sl2vl = Sl2Vl(map);
  routes.multicast_sl[Lid(0xC001)] = Sl(1);
  EXPECT_TRUE(verify(fabric, routes).multicast_ok()) << "on a lane of its own";
  map[1] = 15;
  routes.sl2vl = Sl2Vl(map);
  EXPECT_EQ(verify(fabric, routes).multicast.arrived, 2u) << "dropped";
}

}  // namespace
}  // namespace weft
