// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Max-min fair rates have their defining property. The bound of each channel equals the load in the
// worst of all permutations, and the adversarial pattern reaches the largest bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "congestion/fair_share.h"
#include "congestion/permutation_bound.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "unit/congestion/networks.h"

namespace weft {
namespace {

std::vector<double> rates_of(const RoutedNetwork& network, const std::vector<Message>& messages) {
  const ChannelCosts costs;
  FlowWalk walk(network, costs);
  walk.walk(messages, true);
  FairShare fair;
  const auto rates = fair.rates(network, costs, walk, messages.size());
  return {rates.begin(), rates.end()};
}

// H0 and H1 on S0, H2 and H3 on S1, one cable between the switches.
TEST(FairShare, AssignsUnusedShareToOtherMessages) {
  const RoutedNetwork network = routed(Tiny(2).link(0, 1, 1).hosts(0, 2).hosts(1, 2).build());
  // H0, H1 and H3 send to H2, each at a third of the rate of H2. The message from H1 to H3 has the
  // remaining third of the cable.
  const auto rates = rates_of(network, {{0, 2, 0, 1}, {1, 2, 0, 1}, {3, 2, 0, 1}, {1, 3, 0, 1}});
  EXPECT_THAT(rates, testing::ElementsAre(
                         testing::DoubleNear(1.0 / 3, 1e-12), testing::DoubleNear(1.0 / 3, 1e-12),
                         testing::DoubleNear(1.0 / 3, 1e-12), testing::DoubleNear(1.0 / 3, 1e-12)));
  // H1 and H3 send to H2, each at half of the rate of H2. The message from H0 to H3 has the other
  // half of the cable.
  EXPECT_THAT(rates_of(network, {{1, 2, 0, 1}, {3, 2, 0, 1}, {0, 3, 0, 1}, {0, 0, 0, 1}}),
              testing::ElementsAre(0.5, 0.5, 0.5, 0));
}

class BoundsOfSpecs : public testing::TestWithParam<const char*> {};

/// Rates are max-min fair if and only if no channel exceeds its capacity, and the path of every
/// message has a channel without free capacity on which no message has a higher rate.
TEST_P(BoundsOfSpecs, EachFairRateHasABottleneck) {
  const RoutedNetwork network = routed(fabric_of(GetParam()));
  Rng rng(5);
  std::vector<Message> messages;
  for (int i = 0; i < 200; ++i)
    messages.push_back({static_cast<std::uint32_t>(rng.below(network.host_count())),
                        static_cast<std::uint32_t>(rng.below(network.host_count())), 0, 1});
  const auto rates = rates_of(network, messages);
  std::vector<double> used(network.channel_count()), fastest(network.channel_count());
  std::vector<std::vector<std::uint32_t>> routes(messages.size());
  for (std::size_t m = 0; m < messages.size(); ++m) {
    network.walk(messages[m].from, messages[m].to, 0, routes[m]);
    for (const std::uint32_t c : routes[m]) {
      used[c] += rates[m];
      fastest[c] = std::max(fastest[c], rates[m]);
    }
  }
  for (const double rate : used) EXPECT_LE(rate, 1 + 1e-9);
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const auto is_bottleneck = [&](std::uint32_t c) {
      return used[c] > 1 - 1e-9 && rates[m] > fastest[c] - 1e-9;
    };
    EXPECT_EQ(std::ranges::any_of(routes[m], is_bottleneck), messages[m].from != messages[m].to);
  }
}

INSTANTIATE_TEST_SUITE_P(Small, BoundsOfSpecs, testing::ValuesIn(kSmallSpecs));

class BoundsOfTiny : public testing::TestWithParam<const char*> {};

std::vector<std::uint32_t> all_hosts(const RoutedNetwork& network) {
  std::vector<std::uint32_t> hosts(network.host_count());
  std::iota(hosts.begin(), hosts.end(), 0u);
  return hosts;
}

TEST_P(BoundsOfTiny, BoundEqualsTheWorstOfAllPermutations) {
  const RoutedNetwork network = routed(fabric_of(GetParam()));
  const auto hosts = all_hosts(network);
  ASSERT_LE(hosts.size(), 8u);
  std::vector<std::uint32_t> worst(network.channel_count(), 0), load;
  std::vector<std::uint32_t> to = hosts, route;
  std::vector<std::vector<std::uint32_t>> routes;
  for (const std::uint32_t a : hosts)
    for (const std::uint32_t b : hosts) {
      network.walk(a, b, 0, route);
      routes.push_back(route);
    }
  do {
    load.assign(network.channel_count(), 0);
    for (const std::uint32_t h : hosts)
      for (const std::uint32_t c : routes[h * hosts.size() + to[h]]) ++load[c];
    for (std::size_t c = 0; c < load.size(); ++c) worst[c] = std::max(worst[c], load[c]);
  } while (std::ranges::next_permutation(to).found);

  const auto bounds = permutation_bounds(network, hosts, 2);
  ASSERT_EQ(bounds.size(), worst.size());
  EXPECT_EQ(bounds, permutation_bounds(network, hosts, 1));
  for (std::size_t c = 0; c < worst.size(); ++c) {
    EXPECT_EQ(bounds[c].flows, worst[c]) << network.describe_channel(bounds[c].channel);
    EXPECT_LE(bounds[c].flows, std::min(bounds[c].sources, bounds[c].destinations));
    const auto pairs = worst_pairs(network, hosts, bounds[c].channel);
    if (bounds[c].flows < 2) continue;
    EXPECT_EQ(pairs.size(), worst[c]);
    std::vector<bool> sends(hosts.size()), receives(hosts.size());
    for (const auto& [from, target] : pairs) {
      EXPECT_FALSE(sends[from]);
      EXPECT_FALSE(receives[target]);
      sends[from] = receives[target] = true;
      EXPECT_TRUE(std::ranges::count(routes[from * hosts.size() + target], c) == 1);
    }
  }
}

TEST_P(BoundsOfTiny, AdversarialPatternReachesTheLargestBounds) {
  const RoutedNetwork network = routed(fabric_of(GetParam()));
  auto bounds = permutation_bounds(network, all_hosts(network));
  std::erase_if(bounds, [](const ChannelBound& bound) { return bound.flows < 2; });
  std::ranges::stable_sort(bounds, std::ranges::greater{}, &ChannelBound::flows);
  StudySpec spec = study_of("adversarial:4");
  spec.measures.channels = true;
  const auto levels = make_study(network, spec)->pattern.levels;
  EXPECT_EQ(levels, std::min<std::size_t>(4, bounds.size()));
  for (std::uint64_t l = 0; l < levels; ++l) {
    spec.level = l;
    const Tally tally = simulated(network, spec, 1);
    EXPECT_EQ(tally.channel_sum[bounds[l].channel], bounds[l].flows);
    std::vector<Flow> flows;
    make_study(network, spec)->pattern.fill(l, flows);
    std::vector<unsigned> out(network.host_count()), in(network.host_count());
    for (const Flow& flow : flows) {
      EXPECT_NE(flow.from, flow.to);
      EXPECT_EQ(++out[flow.from], 1u);
      EXPECT_EQ(++in[flow.to], 1u);
    }
    EXPECT_GE(flows.size() + 1, network.host_count());  // one host may remain without a partner
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, BoundsOfTiny,
                         testing::Values("ring:n=6,hosts=1", "ring:n=3,hosts=2", "mesh:2x3,hosts=1",
                                         "full:n=3,hosts=2", "fattree2:k=4",
                                         "random:n=7,degree=4,hosts=1,seed=2", "hypercube:n=3"));

// Hosts H1 and H2 send through S1. S1 forwards packets to H1, and to H0, over S2.
TEST(PermutationBound, NoHostIsPairedWithItselfIfItsPacketsCrossTheChannel) {
  const RoutedNetwork network = graph(R"(digraph g {
    H0 -> S2 [comment="*"];
    H1 -> S1 [comment="*"];
    H2 -> S1 [comment="*"];
    S1 -> S2 [comment="H0, H1"];
    S1 -> H2 [comment="H2"];
    S2 -> H0 [comment="H0"];
    S2 -> H1 [comment="H1"];
    S2 -> S1 [comment="H2"];
  })");
  const auto hosts = all_hosts(network);
  const auto bounds = permutation_bounds(network, hosts);
  const auto most = std::ranges::max_element(bounds, {}, &ChannelBound::flows);
  ASSERT_EQ(most->flows, 2u);
  EXPECT_THAT(worst_pairs(network, hosts, most->channel),
              testing::UnorderedElementsAre(testing::Pair(1, 0), testing::Pair(2, 1)));
}

// On a two-level tree, a channel to a leaf carries at most one flow for each host of the leaf.
TEST(PermutationBound, OfATreeIsAtMostTheHostsOfALeaf) {
  const RoutedNetwork network = routed(fabric_of("fattree2:k=8"));
  const auto bounds = permutation_bounds(network, all_hosts(network));
  std::uint32_t most = 0;
  for (const ChannelBound& bound : bounds) {
    const NetChannel& channel = network.channel(bound.channel);
    if (network.is_host(channel.from) || network.is_host(channel.to)) {
      EXPECT_EQ(bound.flows, 1u);
    }
    most = std::max(most, bound.flows);
  }
  EXPECT_GE(most, 1u);
  EXPECT_LE(most, 4u);  // a leaf has four hosts
}

}  // namespace
}  // namespace weft
