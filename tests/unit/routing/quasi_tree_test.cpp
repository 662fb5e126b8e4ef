// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ftree on irregular trees: quasi fat trees with parallel cables to different subtrees; parents
// with different numbers of cables; missing switches and cables; leaves of any size. Paths do not
// depend on port numbers.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "base/check.h"
#include "base/rng.h"
#include "congestion/quality/quality.h"
#include "fabric/builder.h"
#include "routing/ftree/ftree.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

/// The cables of a tree, before ports are assigned.
struct Plan {
  std::uint32_t switches = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  std::vector<std::uint32_t> hosts;  // number of hosts by leaf

  /// Returns the plan without `count` random cables.
  Plan damaged(std::size_t count, std::uint64_t seed) const {
    Plan left = *this;
    Rng rng(seed);
    for (; count > 0; --count)
      left.cables.erase(left.cables.begin() +
                        static_cast<std::ptrdiff_t>(rng.below(left.cables.size())));
    return left;
  }
  /// Returns the plan without the cables of a switch; the switch itself stays in the fabric.
  Plan without(std::uint32_t sw) const {
    Plan left = *this;
    std::erase_if(left.cables,
                  [&](const auto& cable) { return cable.first == sw || cable.second == sw; });
    return left;
  }
  /// Builds the fabric. Hosts have the lowest ports of their leaves. With a seed the cables have
  /// random ports.
  Fabric build(std::uint64_t seed = 0) const {
    auto order = cables;
    if (seed != 0) {
      const auto permutation = Rng(seed).permutation(static_cast<std::uint32_t>(order.size()));
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = cables[permutation[i]];
    }
    FabricBuilder builder;
    std::vector<FabricBuilder::NodeIndex> nodes;
    std::vector<std::uint8_t> next(switches, 1);
    for (std::uint32_t s = 0; s < switches; ++s) {
      Node node;
      node.type = NodeType::kSwitch;
      node.node_guid = node.system_guid = Guid(0x100 + s);
      node.port_count = 64;
      nodes.push_back(builder.add_node(node));
    }
    std::uint64_t guid = 0x10000;
    for (std::uint32_t leaf = 0; leaf < hosts.size(); ++leaf)
      for (std::uint32_t h = 0; h < hosts[leaf]; ++h) {
        Node node;
        node.node_guid = node.system_guid = Guid(guid += 16);
        node.port_count = 1;
        CHECK(
            builder.connect(builder.add_node(node), PortNum(1), nodes[leaf], PortNum(next[leaf]++))
                .has_value());
      }
    for (const auto& [a, b] : order)
      CHECK(
          builder.connect(nodes[a], PortNum(next[a]++), nodes[b], PortNum(next[b]++)).has_value());
    const auto fabric = builder.build();
    CHECK(fabric.has_value());
    return with_lids(*fabric);
  }
};

/// Leaves under spines, with the given number of cables between leaf l and spine s.
Plan two_levels(std::uint32_t leaves, std::uint32_t spines,
                const std::function<std::uint32_t(std::uint32_t)>& hosts,
                const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& cables) {
  Plan plan{leaves + spines, {}, {}};
  for (std::uint32_t l = 0; l < leaves; ++l) {
    plan.hosts.push_back(hosts(l));
    for (std::uint32_t s = 0; s < spines; ++s)
      plan.cables.insert(plan.cables.end(), cables(l, s), {l, leaves + s});
  }
  return plan;
}

enum class Second { kSameParent, kNextPodInPairs, kNextPodInARing };

/// Pods of 4 leaves with 8 hosts each, and 4 parents; 4 cores above each parent. The second cable
/// of each leaf to a parent is connected to the same parent, or to the parent at the same position
/// of the next pod.
Plan three_levels(std::uint32_t pods, Second second) {
  Plan plan{12 * pods - 4 * pods + 16, {}, std::vector<std::uint32_t>(4 * pods, 8)};
  const auto parent = [&](std::uint32_t pod, std::uint32_t q) { return 4 * pods + 4 * pod + q; };
  for (std::uint32_t pod = 0; pod < pods; ++pod)
    for (std::uint32_t q = 0; q < 4; ++q) {
      const std::uint32_t other = second == Second::kSameParent       ? pod
                                  : second == Second::kNextPodInPairs ? pod ^ 1u
                                                                      : (pod + 1) % pods;
      for (std::uint32_t l = 0; l < 4; ++l) {
        plan.cables.emplace_back(4 * pod + l, parent(pod, q));
        plan.cables.emplace_back(4 * pod + l, parent(other, q));
      }
      for (std::uint32_t c = 0; c < 4; ++c)
        plan.cables.emplace_back(parent(pod, q), 8 * pods + 4 * q + c);
    }
  return plan;
}

Quality assessed(const Fabric& fabric, const std::string& what) {
  const auto routes = route_ftree(fabric, {});
  EXPECT_TRUE(routes) << what << ": " << (routes ? "" : routes.error().message);
  if (!routes) return {};
  const Verdict verdict = verify(fabric, *routes);
  EXPECT_TRUE(verdict.cas_ok()) << what;
  for (const unsigned threads : {1u, 4u}) {
    EXPECT_EQ(*route_ftree(fabric, RoutingOptions{.threads = threads}), *routes) << what;
  }
  return assess(fabric, *routes, {.threads = 1, .seed = 1, .matchings = 50});
}

std::uint32_t six(std::uint32_t) { return 6; }

/// Four leaves of twelve hosts under four spines. The last spine has cables of the given width and
/// speed, the others 4xQDR.
Fabric with_last_spine(LinkWidth width, LinkSpeed speed) {
  Tiny tiny(8, 32);
  for (unsigned leaf = 0; leaf < 4; ++leaf) {
    for (unsigned spine = 4; spine < 8; ++spine) tiny.link(leaf, spine);
    tiny.hosts(leaf, 12);
  }
  for (unsigned leaf = 0; leaf < 4; ++leaf)
    for (unsigned spine = 0; spine < 4; ++spine) {
      FabricBuilder::PortSpec spec;
      spec.width = spine == 3 ? width : LinkWidth::k4x;
      spec.speed = spine == 3 ? speed : LinkSpeed::kQdr;
      const auto port = [](unsigned index) {
        return PortNum(static_cast<std::uint8_t>(index + 1));
      };
      EXPECT_TRUE(tiny.builder().describe_port(leaf, port(spine), spec));
      EXPECT_TRUE(tiny.builder().describe_port(4 + spine, port(leaf), spec));
    }
  return tiny.build();
}

// Each leaf has 36 * 12 paths over four cables, one of which is slower or faster. If all cables had
// equal shares, the load of a slow cable, divided by its rate, would be 432 or 216.
TEST(QuasiTree, LoadOfParentsIsProportionalToTheRateOfTheirCables) {
  for (const auto& [width, speed, part] : {std::tuple(LinkWidth::k1x, LinkSpeed::kQdr, 0.25),
                                           std::tuple(LinkWidth::k4x, LinkSpeed::kDdr, 0.5),
                                           std::tuple(LinkWidth::k4x, LinkSpeed::kFdr10, 1.25)}) {
    const Quality quality = assessed(with_last_spine(width, speed), "slow spine");
    const double fastest = std::max(1.0, part);
    EXPECT_LE(quality.timed_load_max, 1.2 * 36 * 12 / (3 + part) * fastest) << part;
  }
  EXPECT_EQ(assessed(with_last_spine(LinkWidth::k4x, LinkSpeed::kQdr), "equal").link_load_max,
            108u);
}

TEST(QuasiTree, LoadOfParentsIsProportionalToTheNumberOfTheirCables) {
  // 12 leaves of 8 hosts; two of the six spines have two cables to each leaf. The 88 remote
  // destinations of each leaf use 8 uplinks, so each uplink has 11 destinations.
  const Plan plan = two_levels(
      12, 6, [](std::uint32_t) { return 8; },
      [](std::uint32_t, std::uint32_t s) { return s < 2 ? 2u : 1u; });
  const Fabric fabric = plan.build();
  EXPECT_EQ(assessed(fabric, "uneven").link_load_max, 88u);
  // Every shift of the CA order puts at most one flow on each cable, as on a complete fat tree.
  const auto routes = route_ftree(fabric, {});
  ASSERT_TRUE(routes);
  const auto& order = routes->ca_order;
  ASSERT_EQ(order.size(), 96u);
  for (std::size_t shift = 1; shift < order.size(); ++shift) {
    std::map<std::pair<std::uint32_t, PortNum>, unsigned> load;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Endport& to = fabric.endport(order[(i + shift) % order.size()]);
      const auto path = walk(fabric, routes->lfts, fabric.endport(order[i]).sw.value(), to, to.lid);
      ASSERT_TRUE(path);
      for (const std::uint32_t sw : *path) {
        if (sw == to.sw.value()) continue;
        ASSERT_LE((++load[{sw, routes->lfts.port(SwitchId(sw), to.lid)}]), 1u) << shift;
      }
    }
  }
  // Parents with 4 : 2 : 2 cables have shares 2 : 1 : 1, with two cables for each unit.
  const Plan doubled = two_levels(
      6, 3, [](std::uint32_t) { return 8; },
      [](std::uint32_t, std::uint32_t s) { return s == 0 ? 4u : 2u; });
  EXPECT_EQ(assessed(doubled.build(), "doubled").link_load_max, 40u);
}

TEST(QuasiTree, OneExtraCableDoesNotIncreaseTheLargestLoad) {
  const auto one_more = [](std::uint32_t l, std::uint32_t s) { return l == 3 && s == 0 ? 2u : 1u; };
  const auto plain = [](std::uint32_t, std::uint32_t) { return 1u; };
  EXPECT_LE(assessed(two_levels(12, 6, six, one_more).build(), "one more").link_load_max,
            assessed(two_levels(12, 6, six, plain).build(), "plain").link_load_max);
}

TEST(QuasiTree, SecondCablesToOtherPodsDoNotIncreaseTheLargestLoad) {
  const auto same = assessed(three_levels(4, Second::kSameParent).build(), "same");
  const auto pairs = assessed(three_levels(4, Second::kNextPodInPairs).build(), "pairs");
  const auto ring = assessed(three_levels(6, Second::kNextPodInARing).build(), "ring");
  EXPECT_EQ(same.link_load_max, 192u) << "32 hosts of a pod send to 96 hosts over 16 cables";
  EXPECT_LE(pairs.link_load_max, 128u) << "fewer paths use the cores";
  EXPECT_LE(ring.link_load_max, 192u);
}

// The load of the missing channels is distributed over several other channels.
TEST(QuasiTree, LoadOfMissingChannelsIsSpreadOverOtherChannels) {
  const auto one = [](std::uint32_t, std::uint32_t) { return 1u; };
  const Plan whole = two_levels(12, 6, six, one);
  EXPECT_EQ(assessed(whole.build(), "whole").link_load_max, 66u);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto quality = assessed(whole.damaged(1, seed).build(), "a cable");
    EXPECT_LE(quality.link_load_max, 84u) << "66 * 6 / 5 = 79, and an excess of at most 5";
  }
  const Plan no_spine = whole.without(12);
  EXPECT_LE(assessed(no_spine.build(), "a spine").link_load_max, 132u)
      << "6 hosts on 5 uplinks: one uplink has 2 hosts";
}

TEST(QuasiTree, PathsDoNotDependOnPortNumbers) {
  const auto uneven = [](std::uint32_t, std::uint32_t s) { return s < 2 ? 2u : 1u; };
  const auto sizes = [](std::uint32_t l) { return 1 + l % 6; };
  const std::vector<Plan> plans{
      two_levels(12, 6, six, uneven),
      two_levels(12, 6, sizes, uneven),
      three_levels(4, Second::kSameParent),
      three_levels(4, Second::kNextPodInPairs),
      three_levels(6, Second::kNextPodInARing),
      three_levels(4, Second::kSameParent).damaged(6, 1),
      three_levels(4, Second::kNextPodInARing).damaged(6, 2),
      three_levels(4, Second::kSameParent).without(16),
  };
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const Fabric first = plans[p].build();
    const auto expected = route_ftree(first, {});
    ASSERT_TRUE(expected) << p;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Fabric fabric = plans[p].build(seed);
      const auto routes = route_ftree(fabric, {});
      ASSERT_TRUE(routes) << p;
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
          ASSERT_EQ(walk(fabric, routes->lfts, s, to, lid), walk(first, expected->lfts, s, to, lid))
              << "plan " << p << " seed " << seed << " from " << s << " to " << lid.value();
      });
    }
  }
}

// Trees of all kinds above, with random missing cables and in some cases a missing switch.
TEST(QuasiTree, RoutesOfDamagedTreesAreConnectedAndDeadlockFree) {
  const auto uneven = [](std::uint32_t, std::uint32_t s) { return s < 2 ? 2u : 1u; };
  const std::vector<Plan> plans{
      two_levels(12, 6, six, uneven),
      two_levels(
          12, 6, [](std::uint32_t l) { return 1 + l % 6; }, uneven),
      three_levels(4, Second::kSameParent),
      three_levels(4, Second::kNextPodInPairs),
      three_levels(6, Second::kNextPodInARing),
  };
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Plan plan = plans[p].damaged(2 * seed, seed);
      if (seed % 2 == 0) plan = plan.without(plan.switches - 1);
      assessed(plan.build(), "plan " + std::to_string(p) + " seed " + std::to_string(seed));
    }
}

}  // namespace
}  // namespace weft
