// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// minhop and updn on fabrics so small that the tests state the port of each entry.

#include <gtest/gtest.h>

#include <array>

#include "routing/engine.h"
#include "routing/minhop.h"
#include "routing/up_down/up_down.h"
#include "routing/updn.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

TEST(Minhop, SpreadsHostsOfALeafOverTheSpines) {
  const Fabric fabric = two_by_two(2);
  for (const Balance balance : {Balance::kGlobal, Balance::kLocal}) {
    const auto routes = route_minhop(fabric, RoutingOptions{.balance = balance});
    ASSERT_TRUE(routes);
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 0)), PortNum(1));
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 1)), PortNum(2));
  }
}

TEST(Minhop, RoutesTheHostsOfAnOrderFileFirst) {
  const Fabric fabric = two_by_two(2);
  for (const Balance balance : {Balance::kGlobal, Balance::kLocal}) {
    const auto routes = route_minhop(
        fabric, RoutingOptions{.balance = balance, .order = {host_at(fabric, kS1, 1)}});
    ASSERT_TRUE(routes);
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 1)), PortNum(1));
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 0)), PortNum(2));
  }
}

TEST(Minhop, RoutesTheTwoLidsOfAHostOverTwoSpines) {
  const Fabric fabric = two_by_two(2, 1);
  const auto routes = route_minhop(fabric, {});
  ASSERT_TRUE(routes);
  const Lid lid = fabric.endport(host_at(fabric, kS1, 0)).lid;
  const Lid next(static_cast<std::uint16_t>(lid.value() + 1));
  EXPECT_EQ(routes->lfts.port(kS0, lid), PortNum(1));
  EXPECT_EQ(routes->lfts.port(kS0, next), PortNum(2));
  EXPECT_EQ(routes->lfts.port(kS1, lid), routes->lfts.port(kS1, next));
}

// S0 and S1 with two cables; port 1 is four times as fast as port 2. Five hosts on S1.
TEST(Minhop, DividesPathsByTheRatesOfCables) {
  Tiny tiny(2);
  tiny.link(0, 1, 2).hosts(0).hosts(1, 5);
  for (const unsigned sw : {0u, 1u}) {
    FabricBuilder::PortSpec spec;
    spec.speed = LinkSpeed::kQdr;
    ASSERT_TRUE(tiny.builder().describe_port(sw, PortNum(1), spec));
    spec.speed = LinkSpeed::kSdr;
    ASSERT_TRUE(tiny.builder().describe_port(sw, PortNum(2), spec));
  }
  const Fabric fabric = tiny.build();
  const auto routes = route_minhop(fabric, {});
  ASSERT_TRUE(routes);
  std::array<unsigned, 3> used{};
  for (std::size_t i = 0; i < 5; ++i)
    ++used[entry(fabric, *routes, kS0, host_at(fabric, kS1, i)).value()];
  EXPECT_EQ(used[1], 4u);
  EXPECT_EQ(used[2], 1u);
}

// S0 and S1 with an EDR and an FDR cable (rates 250 : 136), and 99 hosts on S1: shares are 64.1 and
// 34.9.
TEST(Minhop, DividesPathsByRatesThatAreNoMultiples) {
  Tiny tiny(2, 110);
  tiny.link(0, 1, 2).hosts(0).hosts(1, 99);
  for (const unsigned sw : {0u, 1u}) {
    FabricBuilder::PortSpec spec;
    spec.speed = LinkSpeed::kEdr;
    ASSERT_TRUE(tiny.builder().describe_port(sw, PortNum(1), spec));
    spec.speed = LinkSpeed::kFdr;
    ASSERT_TRUE(tiny.builder().describe_port(sw, PortNum(2), spec));
  }
  const Fabric fabric = tiny.build();
  const auto routes = route_minhop(fabric, {});
  ASSERT_TRUE(routes);
  std::array<unsigned, 3> used{};
  for (std::size_t i = 0; i < 99; ++i)
    ++used[entry(fabric, *routes, kS0, host_at(fabric, kS1, i)).value()];
  EXPECT_EQ(used[1], 64u);
  EXPECT_EQ(used[2], 35u);
}

TEST(Minhop, RoutesEachOfTwoPartsWithoutRoutesBetweenThem) {
  const Fabric fabric = Tiny(4).link(0, 1).link(2, 3).hosts(0).hosts(1).hosts(2).hosts(3).build();
  for (const auto engine : {find_engine("minhop")->run, find_engine("updn")->run}) {
    const auto routes = engine(fabric, {});
    ASSERT_TRUE(routes);
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 0)), PortNum(1));
    EXPECT_EQ(entry(fabric, *routes, kS3, host_at(fabric, kS2, 0)), PortNum(1));
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS2, 0)), kNoRoute);
    EXPECT_EQ(verify(fabric, *routes).ca_to_ca.arrived, 4u);
  }
}

TEST(Minhop, SetsNoEntriesWithoutLidsOrWithoutSwitches) {
  Tiny tiny(2);
  const auto bare = tiny.link(0, 1).hosts(0).builder().build();
  ASSERT_TRUE(bare);
  FabricBuilder pair;
  const auto ca = [&](std::uint64_t guid) {
    Node node;
    node.node_guid = node.system_guid = Guid(guid);
    node.port_count = 1;
    return pair.add_node(node);
  };
  ASSERT_TRUE(pair.connect(ca(1), PortNum(1), ca(2), PortNum(1)));
  const auto two_hosts = pair.build();
  ASSERT_TRUE(two_hosts);
  for (const auto engine : {find_engine("minhop")->run, find_engine("updn")->run}) {
    for (const Fabric& fabric : {*bare, *two_hosts}) {
      const auto routes = engine(fabric, {});
      ASSERT_TRUE(routes);
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
        for (const std::uint8_t port : routes->lfts.row(SwitchId(s)))
          EXPECT_EQ(PortNum(port), kNoRoute);
    }
  }
}

TEST(Updn, DetectsTheSpinesAsRootsAndLeavesPairsOfSpinesUnconnected) {
  const Fabric fabric = two_by_two(2);
  const auto routes = route_updn(fabric, {});
  ASSERT_TRUE(routes);
  EXPECT_EQ(entry(fabric, *routes, kS2, Fabric::endport_of(kS3)), kNoRoute);
  EXPECT_EQ(entry(fabric, *routes, kS3, Fabric::endport_of(kS2)), kNoRoute);
  const Verdict verdict = verify(fabric, *routes);
  EXPECT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict.ca_to_switch.all());
  EXPECT_EQ(verdict.switch_to_switch.pairs - verdict.switch_to_switch.arrived, 2u);
}

TEST(Updn, ConnectsTheRootsIfConfigured) {
  const Fabric fabric = two_by_two(2);
  const auto routes = route_updn(fabric, RoutingOptions{.connect_roots = true});
  ASSERT_TRUE(routes);
  const Verdict verdict = verify(fabric, *routes);
  EXPECT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict.switch_to_switch.all());
  const auto without = route_updn(fabric, {});
  ASSERT_TRUE(without);
  for (const SwitchId sw : {kS0, kS1})
    for (std::size_t i = 0; i < 2; ++i)
      for (const SwitchId from : {kS0, kS1, kS2, kS3})
        EXPECT_EQ(entry(fabric, *routes, from, host_at(fabric, sw, i)),
                  entry(fabric, *without, from, host_at(fabric, sw, i)));
}

// A line S0 - S1 - S2 with hosts on S0 and S2; S0 and S2 are given as roots.
TEST(Updn, NamesTwoSwitchesThatGivenRootsSeparate) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(2).build();
  const auto routes = route_updn(fabric, RoutingOptions{.roots = {kS0, kS2}});
  ASSERT_FALSE(routes);
  EXPECT_EQ(routes.error().code, Code::kUnroutable);
  EXPECT_NE(routes.error().message.find("'S0'"), std::string::npos) << routes.error().message;
  EXPECT_NE(routes.error().message.find("'S2'"), std::string::npos) << routes.error().message;
}

// A line S0 - S1 - S2 - S3 with most hosts on S1 and S2. Ranks from these leaves put S0 and S3
// above S1 and S2, without a legal path between S0 and S3. No switch has the same distance to
// nearly all hosts, so there are no roots.
TEST(Updn, RanksAroundOneSwitchWhereRanksFromTheLeavesSeparateHosts) {
  Tiny tiny(4);
  tiny.link(0, 1).link(1, 2).link(2, 3).hosts(0).hosts(1, 4).hosts(2, 4).hosts(3);
  const Fabric fabric = tiny.build();
  const auto ranks = updn_ranks(fabric, {});
  ASSERT_TRUE(ranks);
  EXPECT_EQ((*ranks)[kS1.value()], 0) << "the central one of the leaves";
  EXPECT_EQ(leaves_without_path(fabric, *ranks, {}, 1), std::nullopt);
}

// A ring of five switches with root S0 and ranks 0 1 2 2 1. S2 and S3 both have rank 2, so the hop
// to the lower ID is up. The short path from S1 to S4 is over the root; from S1 to S3 the short
// path goes down to S2 and down to S3. The short path from S4 to S2 would go down to S3 and then
// up, which is forbidden, so the path is the longer path over the root.
TEST(Updn, UsesALongerPathIfTheShortestPathGoesUpAfterDown) {
  Tiny tiny(5);
  for (unsigned i = 0; i < 5; ++i) tiny.link(i, (i + 1) % 5).hosts(i);
  const Fabric fabric = tiny.build();
  const auto routes = route_updn(fabric, RoutingOptions{.roots = {kS0}});
  ASSERT_TRUE(routes);
  const auto path = [&](std::uint32_t from, SwitchId to) {
    const Endport& host = fabric.endport(host_at(fabric, to, 0));
    return walk(fabric, routes->lfts, from, host, host.lid).value();
  };
  using Path = std::vector<std::uint32_t>;
  EXPECT_EQ(path(1, SwitchId(4)), (Path{1, 0, 4}));
  EXPECT_EQ(path(1, kS3), (Path{1, 2, 3}));
  EXPECT_EQ(path(4, kS2), (Path{4, 0, 1, 2}));
  EXPECT_TRUE(verify(fabric, *routes).ok());
}

}  // namespace
}  // namespace weft
