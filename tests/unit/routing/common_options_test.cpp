// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options shared by all engines that balance load: their effect on minhop and updn. The fabrics
// are so small that the tests state the port of each entry.

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "base/rng.h"
#include "routing/minhop.h"
#include "routing/updn.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr std::array kBalances{Balance::kGlobal, Balance::kLocal};

ChannelId channel(const Fabric& fabric, SwitchId sw, unsigned port) {
  return fabric.channel_at(sw, PortNum(static_cast<std::uint8_t>(port)));
}

TEST(IgnoredPorts, AreRoutedButNotCounted) {
  const Fabric fabric = two_by_two(4);
  for (const Balance balance : kBalances) {
    RoutingOptions options{.balance = balance};
    options.ignored = {host_at(fabric, kS1, 0), host_at(fabric, kS1, 1)};
    const auto routes = route_minhop(fabric, options);
    ASSERT_TRUE(routes);
    // The first two hosts add no load, so both ports have no load for each of the first three
    // hosts.
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, i)), PortNum(1)) << i;
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 3)), PortNum(2));
    EXPECT_TRUE(verify(fabric, *routes).ok());
  }
}

// Cables S0 - S1, S1 - S2 and S0 - S2; hosts on S0 and S2.
Fabric triangle() { return Tiny(3).link(0, 1).link(1, 2).link(0, 2).hosts(0).hosts(2).build(); }

TEST(HopWeights, RerouteOneDirectionToALongerPath) {
  const Fabric fabric = triangle();
  RoutingOptions options;
  options.hop_weights.assign(fabric.channel_count(), 1);
  options.hop_weights[channel(fabric, kS0, 2).value()] = 3;  // the cable S0 - S2
  for (const Balance balance : kBalances) {
    options.balance = balance;
    const auto routes = route_minhop(fabric, options);
    ASSERT_TRUE(routes);
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS2, 0)), PortNum(1));
    EXPECT_EQ(entry(fabric, *routes, kS2, host_at(fabric, kS0, 0)), PortNum(2));
    EXPECT_EQ(verify(fabric, *routes).loops, 0u);
  }
  options.hop_weights[channel(fabric, kS0, 2).value()] = 2;  // equal to the path over S1
  const auto routes = route_minhop(fabric, options);
  ASSERT_TRUE(routes);
  EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS2, 0)), PortNum(1));
}

TEST(HopWeights, SelectAmongLegalPathsOnlyWithUpdn) {
  const Fabric fabric = two_by_two(4);
  RoutingOptions options{.roots = {kS2, kS3}};
  options.hop_weights.assign(fabric.channel_count(), 1);
  options.hop_weights[channel(fabric, kS0, 1).value()] = 200;
  const auto routes = route_updn(fabric, options);
  ASSERT_TRUE(routes);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, i)), PortNum(2));
    EXPECT_EQ(entry(fabric, *routes, kS2, host_at(fabric, kS0, i)), PortNum(1));
  }
  EXPECT_TRUE(verify(fabric, *routes).ok());
}

/// Path lengths by relaxing every channel until nothing changes, independent of the engine's
/// search.
std::vector<std::uint64_t> lengths_to(const Fabric& fabric,
                                      const std::vector<std::uint64_t>& weights, std::uint32_t to) {
  std::vector<std::uint64_t> length(fabric.switch_count(), kUnreachable);
  length[to] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
      const Channel& channel = fabric.channel(ChannelId(c));
      const std::uint64_t through = length[channel.to.value()] + weights[c];
      if (through >= length[channel.from.value()]) continue;
      length[channel.from.value()] = through;
      changed = true;
    }
  }
  return length;
}

TEST(HopWeights, GiveLightestPathsOnRegularAndDamagedFabrics) {
  for (const char* spec :
       {"torus:4x4,hosts=2", "random:n=20,degree=4,hosts=2,seed=3", "dragonfly:a=4,h=2,p=2",
        "fattree3:k=4,fail=2,dead=1,seed=5,connected=0"}) {
    const Fabric fabric = fabric_of(spec, 1);
    Rng rng(7);
    RoutingOptions options;
    for (std::uint32_t c = 0; c < fabric.channel_count(); ++c)
      options.hop_weights.push_back(1 + rng.below(9));
    for (const Balance balance : kBalances) {
      options.balance = balance;
      options.threads = 1;
      const auto routes = route_minhop(fabric, options);
      ASSERT_TRUE(routes);
      options.threads = 2;
      ASSERT_EQ(*route_minhop(fabric, options), *routes) << spec;
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        const auto length = lengths_to(fabric, options.hop_weights, to.sw.value());
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
          if (s == to.sw.value()) continue;
          const ChannelId out = fabric.channel_at(SwitchId(s), routes->lfts.port(SwitchId(s), lid));
          ASSERT_EQ(out != kNoChannel, length[s] < kUnreachable) << spec;
          if (out == kNoChannel) continue;
          ASSERT_EQ(length[s],
                    options.hop_weights[out.value()] + length[fabric.channel(out).to.value()])
              << spec << " switch " << s << " LID " << lid.value();
        }
      });
    }
    const auto updn = route_updn(fabric, options);
    ASSERT_TRUE(updn);
    const Verdict verdict = verify(fabric, *updn);
    EXPECT_EQ(verdict.loops, 0u) << spec;
    EXPECT_FALSE(verdict.has_credit_loop()) << spec;
    EXPECT_EQ(verdict.ca_to_ca.arrived, verify(fabric, *route_minhop(fabric, {})).ca_to_ca.arrived)
        << spec;
  }
}

TEST(PortOrder, SetsTheOrderOfTheSearch) {
  const Fabric fabric = two_by_two(4);
  for (const Balance balance : kBalances) {
    RoutingOptions options{.balance = balance};
    options.port_rank.assign(fabric.channel_count(), 255);
    options.port_rank[channel(fabric, kS0, 2).value()] = 0;
    options.port_rank[channel(fabric, kS0, 1).value()] = 1;
    const auto routes = route_minhop(fabric, options);
    ASSERT_TRUE(routes);
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 0)), PortNum(2));
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 1)), PortNum(1));
    EXPECT_EQ(entry(fabric, *routes, kS1, host_at(fabric, kS0, 0)), PortNum(1));
  }
}

// S0 and S1 with four cables on ports 1 to 4, and hosts on S1.
TEST(PortOrder, AppliesToFourParallelCables) {
  const Fabric fabric = Tiny(2, 10).link(0, 1, 4).hosts(0).hosts(1, 4).build();
  RoutingOptions options;
  options.port_rank = {0, 2, 1, 3, 255, 255, 255, 255};  // order of the ports of S0: 1, 3, 2, 4
  const auto routes = route_minhop(fabric, options);
  ASSERT_TRUE(routes);
  const std::array<unsigned, 4> want{1, 3, 2, 4};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, i)).value(), want[i]) << i;
}

// A ring of five switches with root S0. S2 and S3 both have rank 2, so the hop to the lower ID is
// up. With IDs in the order of GUIDs that is the hop to S2, and the short path from S4 to S2 over
// S3 would go up again. With reversed IDs the hop to S3 is up, and S1 needs the long path to S3.
TEST(SwitchIds, ReverseUpAndDownOnARing) {
  Tiny tiny(5);
  for (unsigned i = 0; i < 5; ++i) tiny.link(i, (i + 1) % 5).hosts(i);
  const Fabric fabric = tiny.build();
  RoutingOptions options{.roots = {kS0}};
  options.switch_rank = {0, 1, 3, 2, 4};
  const auto routes = route_updn(fabric, options);
  ASSERT_TRUE(routes);
  const auto path = [&](std::uint32_t from, SwitchId to) {
    const Endport& host = fabric.endport(host_at(fabric, to, 0));
    return walk(fabric, routes->lfts, from, host, host.lid).value();
  };
  using Path = std::vector<std::uint32_t>;
  EXPECT_EQ(path(4, kS2), (Path{4, 3, 2}));
  EXPECT_EQ(path(1, kS3), (Path{1, 0, 4, 3}));
  EXPECT_TRUE(verify(fabric, *routes).ok());
}

TEST(PortShifting, StartsAtAnotherPortForEachSwitchAndDestination) {
  // Leaves S0, S1, S2, each cabled to both spines S3 and S4; two hosts on each leaf.
  Tiny tiny(5);
  for (const unsigned leaf : {0u, 1u, 2u}) tiny.link(leaf, 3).link(leaf, 4).hosts(leaf, 2);
  const Fabric fabric = tiny.build();
  for (const Balance balance : kBalances) {
    RoutingOptions options{.balance = balance, .port_shifting = true};
    const auto routes = route_minhop(fabric, options);
    ASSERT_TRUE(routes);
    EXPECT_TRUE(verify(fabric, *routes).ca_to_ca.all());
    // Without the option, paths to the first host of every leaf use port 1. With the option, paths
    // from S0 to the hosts of S1 begin with the second next hop.
    EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS1, 0)), PortNum(2));
    const auto plain = route_minhop(fabric, RoutingOptions{.balance = balance});
    EXPECT_EQ(entry(fabric, *plain, kS0, host_at(fabric, kS1, 0)), PortNum(1));
  }
}

TEST(ScatterPorts, DependOnTheSeedAloneAndKeepAllPairsReachable) {
  const Fabric fabric = fabric_of("fattree3:k=4", 1);
  for (const Balance balance : kBalances) {
    std::set<std::string> seen;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      RoutingOptions options{.threads = 1, .balance = balance, .scatter_ports = seed};
      const auto routes = route_minhop(fabric, options);
      options.threads = 2;
      EXPECT_EQ(*routes, *route_minhop(fabric, options));
      EXPECT_TRUE(verify(fabric, *routes).ca_to_ca.all());
      const auto row = routes->lfts.row(kS0);
      seen.emplace(row.begin(), row.end());
    }
    EXPECT_EQ(seen.size(), 3u);
  }
}

TEST(ScatterPorts, DoNotApplyToOrderedEndports) {
  const Fabric fabric = two_by_two(4);
  RoutingOptions options{.balance = Balance::kLocal};
  for (std::size_t i = 0; i < 4; ++i) options.order.push_back(host_at(fabric, kS1, i));
  options.not_scattered = options.order;
  const auto in_turn = route_minhop(fabric, options);
  options.scatter_ports = 42;
  const auto scattered = route_minhop(fabric, options);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(entry(fabric, *scattered, kS0, host_at(fabric, kS1, i)),
              entry(fabric, *in_turn, kS0, host_at(fabric, kS1, i)));
}

}  // namespace
}  // namespace weft
