// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The load of channels by 64 multicast groups of all hosts, in proportion to the link rates, in
// comparison with a lower bound.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/check.h"
#include "fabric/link_rates.h"
#include "routing/engine.h"
#include "routing/multicast.h"
#include "support/groups.h"
#include "support/routed_by.h"
#include "support/torus_fabrics.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

constexpr unsigned kLoadGroups = 64;

/// The fabric with 1x links on these switches.
Fabric with_slow_switches(const Fabric& fabric, const std::set<std::uint32_t>& slow) {
  FabricBuilder builder;
  std::vector<FabricBuilder::NodeIndex> index;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    index.push_back(builder.add_node(fabric.node(NodeId(n))));
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      FabricBuilder::PortSpec spec;
      spec.guid = port.guid;
      spec.width = port.width;
      spec.speed = port.speed;
      if (port.lid != kLidNone) spec.lid = LidRange{port.lid, port.lmc};
      if (port.peer != kNoPort) {
        const Port& peer = fabric.port(port.peer);
        if (slow.contains(n) || slow.contains(peer.node.value())) spec.width = LinkWidth::k1x;
        CHECK(builder.connect(index[n], port.num, index[peer.node.value()], peer.num).has_value());
      }
      CHECK(builder.describe_port(index[n], port.num, spec).has_value());
    }
  auto result = builder.build();
  CHECK(result.has_value());
  return std::move(*result);
}

std::vector<MulticastGroup> load_groups(const Fabric& fabric) {
  std::vector<MulticastGroup> groups;
  for (unsigned i = 0; i < kLoadGroups; ++i)
    groups.push_back({Lid(static_cast<std::uint16_t>(0xC000 + i)), fabric.hosts(), {}});
  return groups;
}

/// Link rates by channel, relative to the fastest link.
std::vector<double> relative_rates(const Fabric& fabric) {
  const auto rates = channel_rates(fabric);
  std::vector<double> result;
  for (const auto rate : rates) result.push_back(double(rate) / std::ranges::max(rates));
  return result;
}

/// A lower bound of the largest relative load: each group enters each switch with hosts on one of
/// its channels, and uses at least one cable fewer than there are such switches, in both
/// directions.
double even_load(const Fabric& fabric) {
  const auto rates = relative_rates(fabric);
  double least_capacity = 1e9, capacity = 0;
  unsigned with_hosts = 0;
  for (const double rate : rates) capacity += rate;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (fabric.endports_at(SwitchId(s)).empty()) continue;
    ++with_hosts;
    double own = 0;
    for (const Channel& channel : fabric.channels_from(SwitchId(s)))
      own += rates[channel.reverse.value()];
    least_capacity = std::min(least_capacity, own);
  }
  return kLoadGroups * std::max(1 / least_capacity, 2 * (with_hosts - 1) / capacity);
}

double largest_load(const Fabric& fabric, const Mfts& mfts) {
  const auto rates = relative_rates(fabric);
  double most = 0;
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    unsigned trees = 0;
    for (const auto& [mlid, masks] : mfts)
      if (const auto at = masks.find(channel.from); at != masks.end())
        trees += at->second.test(channel.from_port.value()) ? 1 : 0;
    most = std::max(most, trees / rates[c]);
  }
  return most;
}

/// The largest load divided by the lower bound. Expects that multicast adds no credit loop to
/// unicast without one, also with packets of switches.
double load_ratio(const Fabric& fabric, const char* engine, RoutingOptions options = {}) {
  options.groups = load_groups(fabric);
  auto routes = find_engine(engine)->run(fabric, options);
  CHECK(routes.has_value());
  const bool loop = verify(fabric, *routes).has_credit_loop();
  auto plan = plan_multicast(fabric, *routes, options, options.groups);
  CHECK(plan.has_value());
  add_multicast(std::move(*plan), *routes);
  const Verdict verdict = verify(fabric, *routes, {.groups = options.groups});
  EXPECT_EQ(verdict.multicast.arrived, verdict.multicast.copies) << engine;
  EXPECT_TRUE(loop || verdict.multicast_ok())
      << engine << '\n'
      << describe_cycle(fabric, verdict.multicast_credit_loop);
  return largest_load(fabric, routes->mfts) / even_load(fabric);
}

constexpr const char* kLoadEngines[] = {"updn", "ftree", "minhop", "nue", "dfsssp", "dor", "lash"};

TEST(MulticastLoad, IsTheLowerBoundOnFatTreesWithEveryEngine) {
  const Fabric fabric = fabric_of("fattree3:k=8");
  for (const char* engine : kLoadEngines) EXPECT_EQ(load_ratio(fabric, engine), 1.0) << engine;
}

TEST(MulticastLoad, IsNearTheLowerBoundIfTheLinksOfASpineAreSlow) {
  const Fabric whole = fabric_of("fattree2:k=8");
  const Fabric slow = with_slow_switches(whole, {8});
  for (const char* engine : kLoadEngines) EXPECT_LE(load_ratio(slow, engine), 1.05) << engine;
  const Fabric core = with_slow_switches(fabric_of("fattree3:k=8"), {64});
  for (const char* engine : kLoadEngines) EXPECT_LE(load_ratio(core, engine), 1.05) << engine;
}

// Each tree of up*/down* routes has one switch above all others, and few cores of a damaged tree
// reach all leaves by down hops only.
TEST(MulticastLoad, IsNearTheLowerBoundOnDamagedFatTrees) {
  const Fabric fabric = fabric_of("fattree3:k=8,fail=6,dead=1,seed=3");
  for (const char* engine : {"updn", "ftree", "nue"})
    EXPECT_LE(load_ratio(fabric, engine), 1.32) << engine;
  for (const char* engine : {"minhop", "dfsssp", "dor", "lash"})
    EXPECT_LE(load_ratio(fabric, engine), 1.08) << engine;
  const Fabric larger = fabric_of("fattree3:k=12,fail=12,dead=2,seed=5");
  for (const char* engine : {"updn", "minhop"})
    EXPECT_LE(load_ratio(larger, engine), 1.13) << engine;
}

// Packets of minhop and dor can deadlock here, so the trees are not limited by them.
TEST(MulticastLoad, IsNearTheLowerBoundOnToriAndDragonfliesIfTreesAreNotLimited) {
  for (const char* engine : {"minhop", "dor"}) {
    EXPECT_LE(load_ratio(fabric_of("torus:5x5x5"), engine), 1.1) << engine;
    EXPECT_LE(load_ratio(fabric_of("dragonfly:a=4,h=2,p=2"), engine), 1.6) << engine;
  }
}

// On one lane with the packets of these engines all trees cross the same switch, and each tree uses
// all channels of this switch.
TEST(MulticastLoad, IsTheNumberOfGroupsIfAllTreesCrossOneSwitch) {
  for (const char* spec : {"torus:5x5x5", "dragonfly:a=4,h=2,p=2"}) {
    const Fabric fabric = fabric_of(spec);
    for (const char* engine : {"updn", "nue", "dfsssp", "lash"})
      EXPECT_DOUBLE_EQ(load_ratio(fabric, engine) * even_load(fabric), kLoadGroups)
          << spec << ' ' << engine;
  }
}

TEST(MulticastLoad, Torus2QosSpreadsGroupsOverParallelCables) {
  const std::array<unsigned, 3> radix{6, 5, 1};
  const Fabric fabric = fabric_of("torus:6x5,trunks=2");
  const double ratio =
      load_ratio(fabric, "torus-2QoS", {.torus = torus_config("torus 6 5 1", radix, {{0, 0, 0}})});
  EXPECT_DOUBLE_EQ(ratio * even_load(fabric), kLoadGroups / 2.0);
}

TEST(MulticastLoad, KeepsTheTreeOfAGroupWhenOtherGroupsAreDeleted) {
  const Fabric fabric = fabric_of("fattree3:k=8,fail=6,dead=1,seed=3");
  const auto groups = load_groups(fabric);
  for (const char* engine : {"updn", "dfsssp"}) {
    const Routes routes = routed_by(engine, fabric);
    const auto all = plan_multicast(fabric, routes, {}, groups);
    const auto few = plan_multicast(fabric, routes, {}, std::vector{groups[5], groups[40]});
    ASSERT_TRUE(all && few);
    for (const auto& [mlid, masks] : few->mfts) EXPECT_EQ(masks, all->mfts.at(mlid)) << engine;
  }
}

}  // namespace
}  // namespace weft
