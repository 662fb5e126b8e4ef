// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verdicts on multicast tables: each kind of wrong copy, and dependency cycles of multicast and
// unicast packets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/check.h"
#include "support/tiny.h"
#include "unit/verify/tables.h"
#include "verify/multicast_verifier.h"
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

//  H0 - S0 - S1 - H1     H2 is also at S1. Ports 1 join the switches; hosts are at the next ports.
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
  EXPECT_EQ(verdict.multicast.non_member_copies, 0u);
}

TEST(VerifyMulticast, ReadsMembersFromTheTablesWithoutAList) {
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
  EXPECT_TRUE(verdict.ok()) << "the unicast verdict must be PASS";
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
  EXPECT_EQ(verdict.multicast.non_member_copies, 2u);  // one for each of the two senders
  EXPECT_EQ(verdict.multicast.dead_ports, 4u);         // two ports for each sender
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

// S0 and S1 are joined by two cables; S0 sends a copy over each.
TEST(VerifyMulticast, FindsDuplicateCopies) {
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0).hosts(1).build();
  Routes routes = shortest_routes(fabric);
  routes.mfts[kGroup] = {{kS0, ports({1, 2, 3})}, {kS1, ports({3})}};
  const Verdict verdict = verify(fabric, routes);
  EXPECT_FALSE(verdict.multicast_ok());
  // Packets of H0 arrive twice at H1. S1 does not forward packets of H1.
  EXPECT_EQ(verdict.multicast.twice, 1u);
  EXPECT_EQ(verdict.multicast.loops, 0u);
}

/// The output port of `from` that is cabled to `to`.
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

/// A ring of four switches. Unicast paths go clockwise from S3 over S0 to S1 and from S0 over S1 to
/// S2. Together with multicast packets from S1 over S2 to S3, and of another group from S2 over S3
/// to S0, they close a cycle of dependencies.
Routes half_of_a_cycle(const Fabric& fabric) {
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
  Routes routes = half_of_a_cycle(fabric);
  ASSERT_TRUE(verify(fabric, routes).ok());
  const auto line = [&](Lid mlid, SwitchId a, SwitchId b, SwitchId c) {
    routes.mfts[mlid] = {{a, ports({3, toward(fabric, a, b)})},
                         {b, ports({toward(fabric, b, a), toward(fabric, b, c)})},
                         {c, ports({3, toward(fabric, c, b)})}};
  };
  line(kGroup, kS1, kS2, kS3);
  EXPECT_TRUE(verify(fabric, routes).multicast_ok())
      << "three of the four dependencies must form no cycle";
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
  EXPECT_TRUE(verify(fabric, routes).multicast_ok())
      << "the second group must close no cycle on a separate VL";
  map[1] = 15;
  routes.sl2vl = Sl2Vl(map);
  EXPECT_EQ(verify(fabric, routes).multicast.arrived, 2u)
      << "packets of the second group must be dropped";
}

TEST(VerifyMulticast, SendersWithoutASwitchReachNoMember) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0).hosts(1);
  std::vector<FabricBuilder::NodeIndex> pair;
  for (const std::uint64_t guid : {0x20000u, 0x20010u}) {
    Node node;
    node.node_guid = node.system_guid = Guid(guid);
    node.port_count = 1;
    pair.push_back(tiny.builder().add_node(node));
  }
  ASSERT_TRUE(tiny.builder().connect(pair[0], PortNum(1), pair[1], PortNum(1)).has_value());
  const Fabric fabric = tiny.build();
  Routes routes = shortest_routes(fabric);
  routes.mfts[kGroup] = {{kS0, ports({1, 2})}, {kS1, ports({1, 2})}};
  const EndportId h0 = fabric.endports_at(kS0)[0], h1 = fabric.endports_at(kS1)[0];
  const auto found = std::ranges::find(fabric.endports(), kNoSwitch, &Endport::sw);
  ASSERT_NE(found, fabric.endports().end());
  const EndportId apart(static_cast<std::uint32_t>(found - fabric.endports().begin()));
  const std::vector<MulticastGroup> groups{{kGroup, {h0, h1, apart}, {}}};
  const Verdict verdict = verify(fabric, routes, {.groups = groups});
  EXPECT_EQ(verdict.multicast.copies, 6u);
  EXPECT_EQ(verdict.multicast.arrived, 2u);
  std::vector<std::pair<EndportId, EndportId>> missing;
  for (const CopyFailure& failure : verdict.multicast.failures) {
    EXPECT_EQ(failure.fault, CopyFault::kMissing);
    missing.emplace_back(failure.source, failure.target);
  }
  EXPECT_THAT(missing, testing::ElementsAre(std::pair(h0, apart), std::pair(h1, apart),
                                            std::pair(apart, h0), std::pair(apart, h1)));
}

TEST(VerifyMulticast, ListsAtMostTheRequestedFailures) {
  Line line;
  line.routes.mfts[kGroup][kS1] = ports({3, 7});  // no copy to H1, none to S0
  line.groups[0].members = {line.h0, line.h1};
  for (const std::size_t most : {0u, 1u, 2u, 5u, 6u, 7u}) {
    const Verdict verdict =
        verify(line.fabric, line.routes, {.failures_max = most, .groups = line.groups});
    // Failures for each sender: no copy to the other member, one copy to H2 and one copy to port 7.
    EXPECT_EQ(verdict.multicast.failures.size(), std::min<std::size_t>(most, 6));
    EXPECT_EQ(verdict.multicast.arrived, 0u);
    EXPECT_EQ(verdict.multicast.non_member_copies, 2u);
    EXPECT_EQ(verdict.multicast.dead_ports, 2u);
  }
}

TEST(VerifyMulticast, CopiesToASendOnlyMemberCountAsNonMemberCopies) {
  Line line;
  line.groups[0] = {kGroup, {line.h1}, {line.h0}};  // the tables send copies to port 2 of S0
  const Verdict verdict = line.verdict();
  EXPECT_TRUE(verdict.multicast_ok());
  EXPECT_EQ(verdict.multicast.copies, 1u);
  EXPECT_EQ(verdict.multicast.arrived, 1u);
  EXPECT_EQ(verdict.multicast.non_member_copies, 1u)
      << "the copy that H0 gets of the packet of H1 must count";
}

TEST(VerifyMulticast, FollowsTheMapOfTheSendersPort) {
  Line line;
  SlMap drop = modulo_map(1);
  drop[0] = 15;
  line.routes.sl2vl.set(kS0, PortNum(2), PortNum(1), drop);
  const Verdict verdict = line.verdict();
  EXPECT_EQ(verdict.multicast.copies, 2u);
  EXPECT_EQ(verdict.multicast.arrived, 1u);
  ASSERT_FALSE(verdict.multicast.failures.empty());
  EXPECT_EQ(verdict.multicast.failures[0].source, line.h0);
  EXPECT_EQ(verdict.multicast.failures[0].target, line.h1);
}

TEST(VerifyMulticast, VerifiesGivenGroupsAndGroupsOfTheTables) {
  Line line;
  line.groups[0] = {Lid(0xC001), {line.h0, line.h2}, {}};
  line.routes.mfts[Lid(0xC001)] = line.routes.mfts[kGroup];
  line.routes.mfts[Lid(0xC002)] = {{kS0, ports({0, 1, 2})}, {kS1, ports({1, 2, 3})}};
  const auto groups = groups_to_verify(line.fabric, line.routes, line.groups);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].mlid, kGroup);
  EXPECT_EQ(groups[0].members, (std::vector{line.h0, line.h1}));
  EXPECT_EQ(groups[1].mlid, Lid(0xC001));
  EXPECT_EQ(groups[1].members, (std::vector{line.h0, line.h2}));
  EXPECT_EQ(groups[2].mlid, Lid(0xC002));
  EXPECT_EQ(groups[2].members, (std::vector{Fabric::endport_of(kS0), line.h0, line.h1, line.h2}));
  EXPECT_EQ(line.verdict().multicast.groups, 3u);
}

// On one VL the two groups close a cycle with unicast. If both groups use VL 1, unicast may use VL
// 0.
TEST(VerifyMulticast, DeterminesTheSafeServiceLevelsOfUnicast) {
  const Fabric fabric = ring_of_four();
  Routes routes = half_of_a_cycle(fabric);
  for (const auto& [mlid, first] : {std::pair(kGroup, 1u), std::pair(Lid(0xC001), 2u)})
    for (const unsigned at : {first, first + 1, first + 2}) {
      const SwitchId sw(at % 4);
      PortMask mask;
      if (at != first + 1) mask.set(3);
      if (at != first) mask.set(toward(fabric, sw, SwitchId((at + 3) % 4)));
      if (at != first + 2) mask.set(toward(fabric, sw, SwitchId((at + 1) % 4)));
      routes.mfts[mlid][sw] = mask;
    }
  routes.sl2vl = Sl2Vl(modulo_map(2));
  const auto safe = [&](unsigned first_sl, unsigned second_sl) {
    routes.multicast_sl[kGroup] = Sl(static_cast<std::uint8_t>(first_sl));
    routes.multicast_sl[Lid(0xC001)] = Sl(static_cast<std::uint8_t>(second_sl));
    const std::uint16_t uniform = verify(fabric, routes).single_sls;
    Routes by_port = routes;
    SlMap other = modulo_map(2);
    other[14] = 1;
    by_port.sl2vl.set(kS0, PortNum(7), PortNum(8), other);
    EXPECT_EQ(verify(fabric, by_port).single_sls, uniform);
    return uniform;
  };
  EXPECT_EQ(safe(1, 1), 0x5555);
  EXPECT_EQ(safe(1, 0), 0xFFFF);
  EXPECT_EQ(safe(0, 1), 0xFFFF);
}

}  // namespace
}  // namespace weft
