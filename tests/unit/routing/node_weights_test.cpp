// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ftree with node weights: the load of the most loaded channel, and independence from port numbers.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"
#include "base/rng.h"
#include "fabric/builder.h"
#include "routing/ftree/ftree.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

using Weights = std::vector<std::uint32_t>;  // by EndportId

Routes routed_by_weight(const Fabric& fabric, const Weights& weights, unsigned threads = 1) {
  auto routes = route_ftree(fabric, RoutingOptions{.threads = threads, .node_weights = weights});
  CHECK(routes.has_value());
  return std::move(*routes);
}

/// By channel: the sum of the weights of all LIDs with a path from some host over the channel.
std::vector<std::uint64_t> loads(const Fabric& fabric, const Routes& routes,
                                 const Weights& weights) {
  std::vector<std::uint64_t> load(fabric.channel_count(), 0);
  for (const EndportId id : fabric.hosts()) {
    const Endport& to = fabric.endport(id);
    std::set<std::uint32_t> used;
    for (const EndportId from : fabric.hosts())
      for (SwitchId at = fabric.endport(from).sw; at != to.sw;) {
        const ChannelId channel = fabric.channel_at(at, routes.lfts.port(at, to.lid));
        CHECK(channel != kNoChannel);
        used.insert(channel.value());
        at = fabric.channel(channel).to;
      }
    for (const std::uint32_t channel : used) load[channel] += weights[id.value()];
  }
  return load;
}

std::uint64_t largest_load(const Fabric& fabric, const Routes& routes, const Weights& weights) {
  return std::ranges::max(loads(fabric, routes, weights));
}

/// Lower bound, for any routing, of the load of the most loaded channel at a leaf: the largest
/// weight of a CA, or an even share of the load out of a leaf or into a leaf.
std::uint64_t least_possible(const Fabric& fabric, const Weights& weights) {
  std::map<std::uint32_t, std::uint64_t> into;
  std::uint64_t all = 0;
  std::uint64_t bound = 0;
  for (const EndportId id : fabric.hosts()) {
    into[fabric.endport(id).sw.value()] += weights[id.value()];
    all += weights[id.value()];
    bound = std::max<std::uint64_t>(bound, weights[id.value()]);
  }
  for (const auto& [leaf, sum] : into) {
    const std::uint64_t uplinks = fabric.channels_from(SwitchId(leaf)).size();
    bound = std::max({bound, (sum + uplinks - 1) / uplinks, (all - sum + uplinks - 1) / uplinks});
  }
  return bound;
}

Weights equal_weights(const Fabric& fabric) { return Weights(fabric.endports().size(), 1); }

/// Assigns `weight` to one host on each of the first `leaves` leaves, at the same position on each
/// leaf. Without weights the paths to all these hosts use one spine.
Weights heavy_at_one_position(const Fabric& fabric, std::uint32_t weight, unsigned leaves) {
  Weights weights = equal_weights(fabric);
  unsigned done = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count() && done < leaves; ++s)
    if (const auto hosts = fabric.endports_at(SwitchId(s)); !hosts.empty()) {
      weights[hosts.front().value()] = weight;
      ++done;
    }
  return weights;
}

TEST(NodeWeights, RouteFewHeavyReceiversOverDifferentSpines) {
  for (const char* spec : {"fattree2:k=8", "fattree2:k=16", "xgft:m=8x6,w=1x4"})
    for (const unsigned heavy : {2u, 3u, 4u}) {
      const Fabric fabric = fabric_of(spec);
      const Weights weights = heavy_at_one_position(fabric, 1000, heavy);
      const std::uint64_t bound = least_possible(fabric, weights);
      EXPECT_GE(largest_load(fabric, routed_by_weight(fabric, {}), weights), 1000 * (heavy - 1))
          << spec;
      EXPECT_EQ(largest_load(fabric, routed_by_weight(fabric, weights), weights), bound)
          << spec << " " << heavy;
    }
}

TEST(NodeWeights, KeepLoadsOfThreeLevelTreesNearTheBound) {
  for (const char* spec : {"fattree3:k=8", "xgft:m=4x4x3,w=1x4x4"}) {
    const Fabric fabric = fabric_of(spec);
    const Weights weights = heavy_at_one_position(fabric, 500, 8);
    const std::uint64_t plain = largest_load(fabric, routed_by_weight(fabric, {}), weights);
    const std::uint64_t load = largest_load(fabric, routed_by_weight(fabric, weights), weights);
    EXPECT_LE(load, least_possible(fabric, weights) * 105 / 100) << spec;
    EXPECT_GE(plain, 3 * load) << spec;
  }
}

/// Random weights: most hosts have the same weight, some a random one, some 0.
Weights random_weights(const Fabric& fabric, Rng& rng) {
  Weights weights = equal_weights(fabric);
  for (const EndportId id : fabric.hosts()) {
    const std::uint64_t kind = rng.below(8);
    if (kind == 0) weights[id.value()] = static_cast<std::uint32_t>(1 + rng.below(1000));
    if (kind == 1) weights[id.value()] = 0;
  }
  return weights;
}

constexpr const char* kTrees[] = {
    "fattree2:k=8",     "fattree2:k=8,trunks=2",      "fattree3:k=4",
    "fattree3:k=6",     "fattree3:k=6,fail=6,seed=2", "fattree3:k=8,dead=1,seed=3",
    "xgft:m=5x4,w=1x3", "xgft:m=3x3x3,w=1x2x3"};

TEST(NodeWeights, GiveTheSameVerifiedRoutesForAnyNumberOfThreads) {
  for (const char* spec : kTrees)
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}})
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Rng rng(seed);
        const Fabric fabric = fabric_of(spec, lmc);
        const Weights weights = random_weights(fabric, rng);
        const Routes routes = routed_by_weight(fabric, weights);
        const Verdict verdict = verify(fabric, routes);
        ASSERT_TRUE(verdict.cas_ok()) << spec << " lmc " << unsigned{lmc} << " seed " << seed;
        EXPECT_EQ(routes.lfts, routed_by_weight(fabric, weights, 4).lfts)
            << spec << " seed " << seed;
      }
}

TEST(NodeWeights, KeepLoadsOfWholeTreesNearTheBound) {
  for (const char* spec : {"fattree2:k=8", "fattree2:k=12", "xgft:m=5x4,w=1x3"})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Rng rng(seed);
      const Fabric fabric = fabric_of(spec);
      const Weights weights = random_weights(fabric, rng);
      const std::uint64_t load = largest_load(fabric, routed_by_weight(fabric, weights), weights);
      EXPECT_LE(load, least_possible(fabric, weights) * 4 / 3) << spec << " seed " << seed;
      EXPECT_LE(load, largest_load(fabric, routed_by_weight(fabric, {}), weights))
          << spec << " seed " << seed;
    }
}

/// Leaves with 1 to 8 hosts under four spines, where equal weights must balance the channels too.
TEST(NodeWeights, BalanceLeavesOfDifferentSize) {
  Tiny tiny(12, 12);
  for (unsigned leaf = 0; leaf < 8; ++leaf) {
    tiny.hosts(leaf, leaf + 1);
    for (unsigned spine = 8; spine < 12; ++spine) tiny.link(leaf, spine);
  }
  const Fabric fabric = tiny.build();
  const Weights weights = equal_weights(fabric);
  EXPECT_EQ(largest_load(fabric, routed_by_weight(fabric, weights), weights),
            least_possible(fabric, weights));
}

/// Returns the same nodes and cables, with each cable at random ports of the switches.
Fabric with_random_ports(const Fabric& fabric, Rng& rng) {
  FabricBuilder builder;
  std::vector<std::vector<std::uint32_t>> ports(fabric.node_count());
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    builder.add_node(fabric.node(NodeId(n)));
    ports[n] = rng.permutation(fabric.node(NodeId(n)).port_count);
  }
  const auto other = [&](NodeId node, PortNum num) {
    return fabric.is_switch(node)
               ? PortNum(static_cast<std::uint8_t>(ports[node.value()][num.value() - 1u] + 1))
               : num;
  };
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      if (port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      const auto done = builder.connect(n, other(NodeId(n), port.num), peer.node.value(),
                                        other(peer.node, peer.num));
      CHECK(done.has_value());
    }
  const auto built = builder.build();
  CHECK(built.has_value());
  return with_lids(*built);
}

/// Returns the next switch on the path from each switch to each host, sorted by switch and host:
/// 0xFFFFFFFF if there is none.
std::vector<std::uint32_t> next_switches(const Fabric& fabric, const Routes& routes) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const EndportId id : fabric.hosts()) {
      const PortNum port = routes.lfts.port(SwitchId(s), fabric.endport(id).lid);
      const ChannelId channel = fabric.channel_at(SwitchId(s), port);
      result.push_back(channel == kNoChannel ? 0xFFFFFFFF : fabric.channel(channel).to.value());
    }
  return result;
}

TEST(NodeWeights, PathsDoNotDependOnPortNumbers) {
  for (const char* spec : {"fattree2:k=8", "fattree3:k=6", "xgft:m=3x3x3,w=1x2x3"}) {
    const Fabric fabric = fabric_of(spec);
    Rng rng(7);
    const Weights weights = random_weights(fabric, rng);
    const auto next = next_switches(fabric, routed_by_weight(fabric, weights));
    for (unsigned round = 0; round < 5; ++round) {
      const Fabric other = with_random_ports(fabric, rng);
      ASSERT_EQ(other.endports().size(), fabric.endports().size());
      EXPECT_EQ(next_switches(other, routed_by_weight(other, weights)), next)
          << spec << " round " << round;
    }
  }
}

}  // namespace
}  // namespace weft
