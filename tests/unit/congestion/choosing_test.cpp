// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages through AR-capable switches. The messages use the ports of the forwarding tables, are
// routed greedily, or are split over the ports of the AR groups and by the weights of sub-groups.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "congestion/flow_walk.h"
#include "congestion/quality/quality.h"
#include "congestion/simulate.h"
#include "support/tiny.h"

namespace weft {
namespace {

//  H0..H3 - S0 ==== S1 - H4..H7     four cables; the forwarding tables use only the first cable
struct Bundle {
  explicit Bundle(std::initializer_list<unsigned> group_ports)
      : fabric(Tiny(2, 16).link(0, 1, 4).hosts(0, 4).hosts(1, 4).build()) {
    routes.lfts = Lfts(2, fabric.lid_top());
    routes.adaptive = ArTables(2, fabric.lid_top());
    PortMask ports;
    for (const unsigned port : group_ports) ports.set(port);
    for (std::uint32_t s = 0; s < 2; ++s) {
      const std::uint16_t group = routes.adaptive->add_group(SwitchId(s), ports);
      for (const Endport& endport : fabric.endports()) {
        const bool here = endport.sw == SwitchId(s);
        routes.lfts.set(SwitchId(s), endport.lid, here ? endport.sw_port : PortNum(1));
        if (!here) routes.adaptive->set(SwitchId(s), endport.lid, {ArState::kFree, group});
      }
    }
  }
  RoutedNetwork network() const { return *network_of(fabric, routes.lfts, &*routes.adaptive); }

  Fabric fabric;
  Routes routes;
};

std::vector<Message> across(unsigned count) {
  std::vector<Message> messages;
  for (std::uint32_t host = 0; host < count; ++host) messages.push_back({host, host + 4});
  return messages;
}

Ticks heaviest(const FlowWalk& walk) { return std::ranges::max(walk.weights()); }

TEST(PortPolicy, GreedyPolicyUsesADifferentCableForEachMessage) {
  const RoutedNetwork network = Bundle({1, 2, 3, 4}).network();
  ASSERT_TRUE(network.is_adaptive());
  const ChannelCosts costs;
  FlowWalk walk(network, costs);
  walk.walk(across(4), true);
  EXPECT_EQ(heaviest(walk), 4u);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    walk.walk_greedily(across(4), rng);
    EXPECT_EQ(heaviest(walk), 1u) << seed;
    EXPECT_EQ(walk.steps().size(), 12u);
  }
}

TEST(PortPolicy, UsesTheDefaultPortOnlyIfTheGroupContainsIt) {
  const Bundle bundle({2, 3});
  const RoutedNetwork network = bundle.network();
  const ChannelCosts costs;
  FlowWalk walk(network, costs);
  Rng rng(1);
  walk.walk_greedily(across(4), rng);
  EXPECT_EQ(walk.load(network.first_channel(0)), 0u) << "cable of the default port";
  EXPECT_EQ(heaviest(walk), 2u);
  const Bundle one({2});
  const Quality quality = assess(one.fabric, one.routes);
  ASSERT_TRUE(quality.ebb_adaptive);
  EXPECT_DOUBLE_EQ(*quality.ebb_adaptive, quality.ebb);
}

TEST(PortPolicy, SplitMessagesLoadAllCablesEqually) {
  const RoutedNetwork network = Bundle({1, 2, 4}).network();
  const ChannelCosts costs;
  FlowWalk walk(network, costs);
  walk.walk_evenly(across(4));
  // Four messages on three cables; loads differ by a few parts of a message.
  EXPECT_NEAR(static_cast<double>(heaviest(walk)),
              4.0 / 3 * static_cast<double>(FlowWalk::kSplitParts), 8);
  walk.walk_evenly(across(1));
  EXPECT_EQ(heaviest(walk), FlowWalk::kSplitParts)
      << "expected the whole message on the cable of the sender";
  walk.walk(across(2), true);
  EXPECT_EQ(heaviest(walk), 2u) << "expected that walk() clears the loads of the previous call";
}

TEST(PortPolicy, WeightsDivideMessagesAmongSubGroups) {
  Bundle bundle({1, 2, 4});
  PortMask second;
  second.set(4);
  for (std::uint32_t s = 0; s < 2; ++s)
    bundle.routes.adaptive->divide(SwitchId(s), {{second, 3, 1}});
  const RoutedNetwork network = bundle.network();
  const auto decoded = RoutedNetwork::from_bytes(network.to_bytes());
  ASSERT_TRUE(decoded);
  const ChannelCosts costs;
  FlowWalk walk(*decoded, costs);
  const auto loads = [&](Ticks unit) {
    std::vector<double> found;
    for (const unsigned place : {0u, 1u, 3u})
      found.push_back(static_cast<double>(walk.load(decoded->first_channel(0) + place)) /
                      static_cast<double>(unit));
    return found;
  };
  walk.walk_evenly(across(4));
  const auto split = loads(FlowWalk::kSplitParts);
  EXPECT_NEAR(split[0], 1.5, 1e-5) << "expected half of three quarters of four messages";
  EXPECT_NEAR(split[1], 1.5, 1e-5);
  EXPECT_NEAR(split[2], 1.0, 1e-5);
  std::vector<Message> many;
  for (unsigned i = 0; i < 1000; ++i)
    for (const Message& message : across(4)) many.push_back(message);
  Rng rng(1);
  walk.walk_greedily(many, rng);
  const auto greedy = loads(1000);
  EXPECT_NEAR(greedy[0], 1.5, 0.1)
      << "expected a sub-group drawn by weight, then its least loaded port";
  EXPECT_NEAR(greedy[1], greedy[0], 0.002);
  EXPECT_NEAR(greedy[2], 1.0, 0.1);
}

/// The Bundle with an AR group in a private table only, for packets with this SL from host 0.
Bundle private_bundle(Sl sl) {
  Bundle bundle({1});
  ArTables& tables = *bundle.routes.adaptive;
  ArTables& further = tables.private_table(tables.add_private_table());
  const std::uint16_t group = further.add_group(SwitchId(0), PortMask(0b11110));
  for (const Endport& endport : bundle.fabric.endports())
    if (endport.sw != SwitchId(0)) further.set(SwitchId(0), endport.lid, {ArState::kFree, group});
  const EndportId host = bundle.fabric.endports_at(SwitchId(0)).front();
  tables.select_table(SwitchId(0), bundle.fabric.endport(host).sw_port, sl, 1);
  bundle.routes.path_sl = PathSl::by_switch_pair(2, {0, 3, 0, 0});
  return bundle;
}

/// Number of different channels between the switches that messages of a host use.
std::size_t cables_of(FlowWalk& walk, const RoutedNetwork& network, std::uint32_t from) {
  std::vector<Message> messages;
  for (std::uint32_t to = 4; to < 8; ++to) messages.push_back({from, to});
  Rng rng(1);
  walk.walk_greedily(messages, rng);
  std::set<std::uint32_t> cables;
  for (const FlowWalk::Step& step : walk.steps()) {
    const NetChannel& channel = network.channel(step.channel);
    if (!network.is_host(channel.from) && !network.is_host(channel.to)) cables.insert(step.channel);
  }
  return cables.size();
}

TEST(PortPolicy, PrivateTablesAreSelectedByInputPortAndSl) {
  const ChannelCosts costs;
  for (const Sl sl : {Sl(3), Sl(0)}) {
    const Bundle bundle = private_bundle(sl);
    const RoutedNetwork network = *network_of(bundle.fabric, bundle.routes);
    EXPECT_EQ(network.table_count(), 2u);
    FlowWalk walk(network, costs);
    EXPECT_EQ(cables_of(walk, network, 0), sl == Sl(3) ? 4u : 1u)
        << "paths from S0 to S1 have SL 3";
    EXPECT_EQ(cables_of(walk, network, 1), 1u);
    walk.walk_evenly(across(4));
    EXPECT_NEAR(static_cast<double>(heaviest(walk)),
                (sl == Sl(3) ? 3.25 : 4) * static_cast<double>(FlowWalk::kSplitParts), 8);
    EXPECT_EQ(*RoutedNetwork::from_bytes(network.to_bytes()), network);
  }
}

TEST(PortPolicy, GreedyMessagesAvoidASlowCable) {
  Bundle bundle({1, 2});
  const RoutedNetwork network = bundle.network();
  ChannelCosts costs;
  costs.per_unit.assign(network.channel_count(), 1);
  costs.per_unit[network.first_channel(0)] = 10;  // port 1 is ten times slower
  FlowWalk walk(network, costs);
  Rng rng(1);
  walk.walk_greedily(across(4), rng);
  EXPECT_EQ(heaviest(walk), 4u) << "expected all messages on the fast cable";
}

TEST(PortPolicy, MessagesWithoutARouteFail) {
  Bundle bundle({1, 2});
  bundle.routes.lfts.set(SwitchId(1), bundle.fabric.endport(bundle.fabric.hosts()[5]).lid,
                         kNoRoute);
  const RoutedNetwork network = bundle.network();
  const ChannelCosts costs;
  FlowWalk walk(network, costs);
  Rng rng(1);
  walk.walk_greedily(across(3), rng);
  ASSERT_EQ(walk.failed().size(), 1u);
  EXPECT_EQ(walk.failed()[0], 1u);
  EXPECT_EQ(walk.weights()[1], 0u);
  walk.walk_evenly(across(3));
  ASSERT_EQ(walk.failed().size(), 1u);
}

TEST(PortPolicy, ResultsAreEqualForAnyNumberOfThreadsAndAfterSerialization) {
  const RoutedNetwork network = Bundle({1, 2, 3}).network();
  const auto decoded = RoutedNetwork::from_bytes(network.to_bytes());
  ASSERT_TRUE(decoded);
  std::vector<double> means;
  for (const PortPolicy policy : {PortPolicy::kStatic, PortPolicy::kGreedy, PortPolicy::kSplit}) {
    StudySpec spec;
    spec.pattern.name = "bisect";
    spec.port_policy = policy;
    const auto study = make_study(network, spec);
    ASSERT_TRUE(study) << study.error().message;
    const Tally one = run_simulation(network, *study, 0, 50, {.threads = 1});
    EXPECT_EQ(one, run_simulation(*decoded, *study, 0, 50, {.threads = 3}));
    double mean = 0;
    for (const RunResult& result : one.results) mean += result.bandwidth / 50;
    means.push_back(mean);
  }
  EXPECT_GT(means[1], means[0]) << "expected more bandwidth with greedy than with static ports";
  EXPECT_GT(means[2], means[0])
      << "expected more bandwidth with split messages than with static ports";
}

TEST(PortPolicy, RefusesFairRatesOfSplitMessages) {
  StudySpec spec;
  spec.pattern.name = "bisect";
  spec.port_policy = PortPolicy::kSplit;
  spec.measures.fair = true;
  const auto study = make_study(Bundle({1, 2}).network(), spec);
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().code, Code::kUsage);
}

TEST(PortPolicy, QualityHasEffectiveBisectionWithAndWithoutGroups) {
  const Bundle bundle({1, 2, 3, 4});
  const Quality quality = assess(bundle.fabric, bundle.routes);
  ASSERT_TRUE(quality.ebb_adaptive);
  EXPECT_LT(quality.ebb, 0.8);
  EXPECT_DOUBLE_EQ(*quality.ebb_adaptive, 1.0);
  Routes plain = bundle.routes;
  plain.adaptive.reset();
  EXPECT_FALSE(assess(bundle.fabric, plain).ebb_adaptive);
}

// Table 0 has groups of all cables. The private table has no groups, so its packets use one cable.
TEST(PortPolicy, EffectiveBisectionFollowsPrivateTables) {
  Bundle bundle({1, 2, 3, 4});
  ArTables& tables = *bundle.routes.adaptive;
  tables.add_private_table();
  const auto select_for_hosts = [&](Sl sl) {
    for (std::uint32_t s = 0; s < 2; ++s)
      for (const EndportId host : bundle.fabric.endports_at(SwitchId(s)))
        tables.select_table(SwitchId(s), bundle.fabric.endport(host).sw_port, sl, 1);
  };
  select_for_hosts(Sl(1));
  EXPECT_DOUBLE_EQ(*assess(bundle.fabric, bundle.routes).ebb_adaptive, 1.0) << "paths have SL 0";
  select_for_hosts(Sl(0));
  const Quality quality = assess(bundle.fabric, bundle.routes);
  EXPECT_LT(quality.ebb, 1.0);
  EXPECT_DOUBLE_EQ(*quality.ebb_adaptive, quality.ebb);
  EXPECT_GT(quality.ebb_error, 0);
  EXPECT_DOUBLE_EQ(*quality.ebb_adaptive_error, quality.ebb_error);
  EXPECT_EQ(quality.adaptive_matchings.size(), quality.matchings.size());
}

}  // namespace
}  // namespace weft
