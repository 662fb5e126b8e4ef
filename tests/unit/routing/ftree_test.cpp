// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Guarantees of ftree: on a full tree, no two flows of a shift permutation share a cable. Paths
// never go up after going down, except with reverse hops for I/O nodes. One missing cable changes
// only the paths over this cable. A fabric that is no fat tree causes an error that names the rule.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/check.h"
#include "base/file.h"
#include "fabric/formats/read.h"
#include "routes/dump/write.h"
#include "routing/ftree/ftree.h"
#include "support/spec_name.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

Routes routed_by_ftree(const Fabric& fabric, const RoutingOptions& options = {}) {
  auto routes = route_ftree(fabric, options);
  EXPECT_TRUE(routes) << routes.error().message;
  CHECK(routes.has_value());
  return std::move(*routes);
}

using Path = std::vector<std::pair<std::uint32_t, PortNum>>;  // switches and their output ports

/// The channels between switches from the first switch of a packet to the switch of the LID.
Path path_of(const Fabric& fabric, const Lfts& lfts, SwitchId from, const Endport& to, Lid lid) {
  Path path;
  const auto visited = walk(fabric, lfts, from.value(), to, lid);
  EXPECT_TRUE(visited) << "from switch " << from.value() << " to LID " << lid.value();
  if (!visited) return path;
  for (const std::uint32_t sw : *visited)
    if (sw != to.sw.value()) path.emplace_back(sw, lfts.port(SwitchId(sw), lid));
  return path;
}

/// The largest number of flows on a channel between switches if the CA at index i of the CA order
/// sends to the CA at index i + shift, to the LID at `offset` above its base LID.
unsigned worst_of_shift(const Fabric& fabric, const Routes& routes, std::size_t shift,
                        unsigned offset) {
  std::map<std::pair<std::uint32_t, PortNum>, unsigned> load;
  unsigned worst = 0;
  const auto& order = routes.ca_order;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const EndportId to = order[(i + shift) % order.size()];
    if (order[i] == kNoEndport || to == kNoEndport) continue;
    const Endport& target = fabric.endport(to);
    const Lid lid(static_cast<std::uint16_t>(target.lid.value() + offset));
    for (const auto& hop : path_of(fabric, routes.lfts, fabric.endport(order[i]).sw, target, lid))
      worst = std::max(worst, ++load[hop]);
  }
  return worst;
}

class FullTree : public testing::TestWithParam<const char*> {};

TEST_P(FullTree, RoutesEveryShiftWithOneFlowPerCable) {
  for (std::uint8_t lmc = 0; lmc <= 1; ++lmc) {
    const Fabric fabric = fabric_of(GetParam(), lmc);
    const Routes routes = routed_by_ftree(fabric);
    for (std::size_t shift = 1; shift < routes.ca_order.size(); ++shift)
      for (unsigned offset = 0; offset < 1u << lmc; ++offset)
        ASSERT_LE(worst_of_shift(fabric, routes, shift, offset), 1u)
            << GetParam() << " shift " << shift << " LID offset " << offset;
  }
}

TEST_P(FullTree, RoutesEveryShiftWithOneFlowPerCableIndexedFromTheRoots) {
  const Fabric fabric = fabric_of(GetParam());
  const Routes routes = routed_by_ftree(fabric, {.parameters = {{kIndexFromRoots, 1}}});
  ASSERT_TRUE(verify(fabric, routes).cas_ok());
  for (std::size_t shift = 1; shift < routes.ca_order.size(); ++shift)
    ASSERT_LE(worst_of_shift(fabric, routes, shift, 0), 1u) << GetParam() << " shift " << shift;
}

INSTANTIATE_TEST_SUITE_P(Ftree, FullTree,
                         testing::Values("fattree2:k=4", "fattree2:k=8", "fattree2:k=8,trunks=2",
                                         "fattree2:k=12,trunks=3", "fattree2:k=8,leaves=5",
                                         "fattree3:k=4", "fattree3:k=8", "fattree3:k=8,pods=5",
                                         "fattree3:k=8,trunks=2", "xgft:m=4x4,w=1x4",
                                         "xgft:m=3x3x3,w=1x3x3", "xgft:m=2x4x8,w=1x2x4",
                                         "xgft:m=4x4x4,w=1x4x4", "xgft:m=2x2x2x2,w=1x2x2x2",
                                         "xgft:m=4x4x3,w=1x2x4,trunks=1x2x2",
                                         "xgft:m=2x4x6,w=1x4x8"),
                         spec_name);

// Leaves S0, S1, S2 with 3, 2 and 3 hosts under spines S3, S4, S5.
Fabric uneven_ftree(std::uint8_t lmc = 0) {
  Tiny tiny(6);
  for (unsigned leaf = 0; leaf < 3; ++leaf)
    for (unsigned spine = 3; spine < 6; ++spine) tiny.link(leaf, spine);
  return tiny.hosts(0, 3).hosts(1, 2).hosts(2, 3).build(lmc);
}

TEST(Ftree, PadsLeavesWithDummiesSoThatShiftsAreFreeOfCongestion) {
  const Fabric fabric = uneven_ftree();
  const Routes routes = routed_by_ftree(fabric);
  ASSERT_EQ(routes.ca_order.size(), 9u);
  EXPECT_EQ(routes.ca_order[5], kNoEndport);
  for (std::size_t shift = 1; shift < 9; ++shift)
    EXPECT_EQ(worst_of_shift(fabric, routes, shift, 0), 1u) << shift;
}

void expect_order_of(const std::string& name, const RoutingOptions& options) {
  const std::string folder =
      std::string(WEFT_SOURCE_DIR) + "/tests/reference/opensm-3.3.23/" + name + "/";
  const auto read = read_fabric(folder + "opensm-subnet.lst");
  ASSERT_TRUE(read) << read.error().message;
  const auto want = read_file(folder + "opensm-ftree-ca-order.dump");
  ASSERT_TRUE(want) << want.error().message;
  const Routes routes = routed_by_ftree(read->fabric, options);
  EXPECT_TRUE(verify(read->fabric, routes).cas_ok());
  std::string text;
  write_ca_order(read->fabric, routes, [&](std::string_view piece) { text.append(piece); });
  EXPECT_EQ(text, *want) << name;
}

TEST(Ftree, OrdersComputeNodesAsOpenSmDoes) { expect_order_of("ftree-uneven", {}); }

TEST(Ftree, OrdersComputeNodesAsOpenSmDoesIndexedFromTheRoots) {
  for (const std::string name : {"ftree-quasi-pods", "ftree-quasi-wide", "ftree-quasi-hosts"})
    expect_order_of(name, {.parameters = {{kIndexFromRoots, 1}}});
}

TEST(Ftree, RoutesTheLidsOfAPortOverDifferentSpines) {
  const Fabric fabric = uneven_ftree(1);
  const Routes routes = routed_by_ftree(fabric);
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    if (fabric.is_switch(to.node) || lid != to.lid) return;
    const Lid next(static_cast<std::uint16_t>(lid.value() + 1));
    for (const SwitchId leaf : {SwitchId(0), SwitchId(1), SwitchId(2)}) {
      if (to.sw == leaf) continue;
      EXPECT_NE(routes.lfts.port(leaf, lid), routes.lfts.port(leaf, next));
    }
  });
}

/// The level of a switch, from the node name that the generator assigns.
unsigned level_by_name(const Node& node) {
  const std::string& name = node.description;
  if (name.starts_with("leaf")) return 1;
  if (name.starts_with("agg") || name.starts_with("spine")) return 2;
  if (name.starts_with("core")) return 3;
  return static_cast<unsigned>(name[5] - '0');  // "levelN-M"
}

TEST(Ftree, NeverGoesUpAfterDownInADamagedTree) {
  for (const std::string tree : {"fattree2:k=8,trunks=2", "fattree3:k=6", "xgft:m=3x3x3,w=1x2x3"})
    for (unsigned seed = 0; seed < 12; ++seed) {
      const std::string spec = tree + ",dead=" + std::to_string(seed % 3) +
                               ",fail=" + std::to_string(seed % 5) +
                               ",seed=" + std::to_string(seed);
      const Fabric fabric = fabric_of(spec);
      const auto routes = route_ftree(fabric, {});
      if (!routes) continue;  // the property tests check when ftree may refuse a fabric
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
          if (fabric.endports_at(SwitchId(s)).empty() || fabric.is_switch(to.node)) continue;
          const auto visited = walk(fabric, routes->lfts, s, to, lid);
          ASSERT_TRUE(visited) << spec << " from " << s << " to LID " << lid.value();
          bool down = false;
          for (std::size_t i = 0; i + 1 < visited->size(); ++i) {
            const bool up = level_by_name(fabric.node(SwitchId((*visited)[i + 1]))) >
                            level_by_name(fabric.node(SwitchId((*visited)[i])));
            ASSERT_FALSE(up && down) << spec << " from " << s << " to LID " << lid.value();
            down = down || !up;
          }
        }
      });
    }
}

TEST(Ftree, RoutesTreesWithMissingCablesAndSwitches) {
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const std::string damage : {",fail=3", ",dead=1,fail=2", ",fail=12"}) {
      const std::string spec = "fattree3:k=8" + damage + ",seed=" + std::to_string(seed);
      const Fabric fabric = fabric_of(spec);
      const auto routes = route_ftree(fabric, {});
      ASSERT_TRUE(routes) << spec << ": " << routes.error().message;
      const Verdict verdict = verify(fabric, *routes);
      EXPECT_TRUE(verdict.cas_ok()) << spec;
      EXPECT_TRUE(verdict.switch_credit_loop.empty()) << spec;
    }
}

/// Sum over all shifts of the largest number of flows on a channel.
std::uint64_t sum_of_shifts(const Fabric& fabric, const Routes& routes) {
  std::uint64_t sum = 0;
  for (std::size_t shift = 1; shift < routes.ca_order.size(); ++shift)
    sum += worst_of_shift(fabric, routes, shift, 0);
  return sum;
}

TEST(Ftree, RoutesShiftsOfDamagedTreesEquallyWellIndexedFromTheRoots) {
  std::uint64_t by_id = 0, from_roots = 0;
  for (unsigned seed = 1; seed <= 12; ++seed)
    for (const std::string damage : {",fail=3", ",dead=1,fail=2", ",fail=12"}) {
      const std::string spec = "fattree3:k=6" + damage + ",seed=" + std::to_string(seed);
      const Fabric fabric = fabric_of(spec);
      const auto before = route_ftree(fabric, {});
      if (!before) continue;  // a switch has no uplink left
      const Routes routes = routed_by_ftree(fabric, {.parameters = {{kIndexFromRoots, 1}}});
      EXPECT_TRUE(verify(fabric, routes).cas_ok()) << spec;
      by_id += sum_of_shifts(fabric, *before);
      from_roots += sum_of_shifts(fabric, routes);
    }
  EXPECT_LE(from_roots * 100, by_id * 102) << from_roots << " and " << by_id;
}

TEST(Ftree, ChangesOnlyPathsOverAMissingCable) {
  for (const std::string tree : {"fattree2:k=8", "fattree3:k=6", "fattree3:k=8,trunks=2"}) {
    const Fabric whole = fabric_of(tree);
    const Routes before = routed_by_ftree(whole);
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const std::string spec = tree + ",fail=1,seed=" + std::to_string(seed);
      const Fabric damaged = fabric_of(spec);
      const Routes after = routed_by_ftree(damaged);
      std::size_t changed = 0;
      for_each_lid(whole, [&](const Endport& to, Lid lid) {
        if (whole.is_switch(to.node)) return;
        for (std::uint32_t s = 0; s < whole.switch_count(); ++s) {
          if (before.lfts.port(SwitchId(s), lid) == after.lfts.port(SwitchId(s), lid)) continue;
          ++changed;
          bool lost = false;
          if (!walk(whole, before.lfts, s, to, lid)) continue;
          for (const auto& [sw, port] : path_of(whole, before.lfts, SwitchId(s), to, lid))
            lost = lost || !switch_behind(damaged, sw, port);
          ASSERT_TRUE(lost) << spec << " switch " << s << " LID " << lid.value();
        }
      });
      EXPECT_GT(changed, 0u) << spec;
    }
  }
}

std::string refusal(const Fabric& fabric, const RoutingOptions& options = {}) {
  const auto routes = route_ftree(fabric, options);
  if (routes) return "routed";
  EXPECT_EQ(routes.error().code, Code::kUnroutable);
  return routes.error().message;
}

TEST(Ftree, RefusesOtherTopologiesAndNamesTheRule) {
  for (const std::string spec :
       {"ring:n=6,hosts=2", "torus:4x4,hosts=1", "hyperx:3x3,hosts=2",
        "random:n=16,degree=4,hosts=2,seed=1", "full:n=4,hosts=1", "dragonfly:a=4,h=1,p=2"}) {
    const std::string message = refusal(fabric_of(spec));
    EXPECT_NE(message.find("both have hosts"), std::string::npos) << spec << ": " << message;
    EXPECT_NE(message.find("(0x"), std::string::npos) << spec << ": " << message;
  }
  const std::string groups = refusal(fabric_of("dragonflyplus:leaves=2,spines=2,h=2,hosts=2"));
  EXPECT_NE(groups.find("both 1 hops from the nearest"), std::string::npos) << groups;
  const std::string one = refusal(Tiny(1).hosts(0, 3).build());
  EXPECT_NE(one.find("1 rank"), std::string::npos) << one;
  // A line S0 - S1 - S2 - S3 - S4 with hosts on S0, S2 and S4.
  const std::string chain = refusal(
      Tiny(5).link(0, 1).link(1, 2).link(2, 3).link(3, 4).hosts(0).hosts(2).hosts(4).build());
  EXPECT_NE(chain.find("no path between them goes up and then down"), std::string::npos) << chain;
  EXPECT_NE(chain.find("'S0'"), std::string::npos) << chain;
  EXPECT_NE(chain.find("'S4'"), std::string::npos) << chain;
  Tiny tall(19);
  for (unsigned i = 0; i + 1 < 19; ++i) tall.link(i, i + 1);
  const std::string high = refusal(tall.hosts(0).hosts(18).build());
  EXPECT_NE(high.find("10 ranks"), std::string::npos) << high;
}

//  S2   S3          leaves S0 and S1 have two hosts each, spine S3 has one host
//  | \ / |
//  S0   S1
Fabric with_host_on_spine() {
  return Tiny(4)
      .link(0, 2)
      .link(0, 3)
      .link(1, 2)
      .link(1, 3)
      .hosts(0, 2)
      .hosts(1, 2)
      .hosts(3)
      .build();
}

TEST(Ftree, AcceptsAHostOnASpineOnlyIfExcludedFromComputeNodes) {
  const Fabric fabric = with_host_on_spine();
  EXPECT_NE(refusal(fabric).find("'S3'"), std::string::npos) << refusal(fabric);
  RoutingOptions options;
  for (std::uint32_t e = fabric.switch_count(); e + 1 < fabric.endport_count(); ++e)
    options.compute_nodes.push_back(EndportId(e));
  EXPECT_TRUE(verify(fabric, routed_by_ftree(fabric, options)).cas_ok());
  options.roots = {SwitchId(2), SwitchId(3)};
  EXPECT_TRUE(verify(fabric, routed_by_ftree(fabric, options)).cas_ok());
  options.compute_nodes.clear();
  const std::string message = refusal(fabric, options);
  EXPECT_NE(message.find("two ranks"), std::string::npos) << message;
  EXPECT_NE(message.find("'S3'"), std::string::npos) << message;
}

// I/O nodes N1 on S2, N2 on S3, N3 on S4; compute nodes on S0 and S1.
//   S2  S3  S4
//    | /  \ |
//   S0     S1
struct IoFabric {
  Fabric fabric = Tiny(5)
                      .link(0, 2)
                      .link(0, 3)
                      .link(1, 3)
                      .link(1, 4)
                      .hosts(0, 3)
                      .hosts(1, 3)
                      .hosts(2)
                      .hosts(3)
                      .hosts(4)
                      .build();
  RoutingOptions options;
  IoFabric() {
    options.roots = {SwitchId(2), SwitchId(3), SwitchId(4)};
    for (std::uint32_t e = 5; e < 11; ++e) options.compute_nodes.push_back(EndportId(e));
    for (std::uint32_t e = 11; e < 14; ++e) options.io_nodes.push_back(EndportId(e));
  }
  std::uint64_t unconnected(unsigned reverse_hops) {
    options.parameters.set(kMaxReverseHops, reverse_hops);
    const Verdict verdict = verify(fabric, routed_by_ftree(fabric, options));
    EXPECT_EQ(verdict.loops, 0u);
    return verdict.ca_to_ca.pairs - verdict.ca_to_ca.arrived;
  }
};

TEST(Ftree, ConnectsIoNodesByAsManyReverseHopsAsAllowed) {
  IoFabric io;
  // Unconnected: N1, N2 and N3 with each other, N1 with the CNs of S1, N3 with the CNs of S0.
  EXPECT_EQ(io.unconnected(0), 18u);
  EXPECT_EQ(io.unconnected(1), 2u);  // only N1 with N3
  EXPECT_EQ(io.unconnected(2), 0u);
  io.options.io_nodes.clear();
  EXPECT_EQ(io.unconnected(2), 18u);
}

TEST(Ftree, PutsUnneededTopSwitchesBelowTheirNeighborsWithoutGivenRoots) {
  IoFabric io;
  io.options.roots.clear();
  EXPECT_EQ(io.unconnected(0), 0u);
}

// Spines S3 and S4 over leaves S0, S1 and S2; every switch has an aggregation node.
TEST(Ftree, DoesNotCountAggregationNodesAsComputeNodes) {
  Tiny tiny(5);
  for (unsigned leaf = 0; leaf < 3; ++leaf) tiny.link(leaf, 3).link(leaf, 4).hosts(leaf, 2);
  for (unsigned sw = 0; sw < 5; ++sw) tiny.hosts(sw);
  for (unsigned host = 6; host < 11; ++host) tiny.builder().node(5 + host).device_id = 0xCF09;
  const Fabric fabric = tiny.build();
  const Routes routes = routed_by_ftree(fabric);
  EXPECT_EQ(routes.ca_order.size(), 6u);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.cas_ok()) << verdict.ca_to_ca.arrived << " of " << verdict.ca_to_ca.pairs;
}

// Spines S3 and S4 over leaves S0, S1 and S2; S2 has no host and must not count as a root.
TEST(Ftree, CountsALeafWithoutHostsAsALeaf) {
  Tiny tiny(5);
  for (unsigned leaf = 0; leaf < 3; ++leaf) tiny.link(leaf, 3).link(leaf, 4);
  const Fabric fabric = tiny.hosts(0, 2).hosts(1, 2).build();
  const Routes routes = routed_by_ftree(fabric);
  const Verdict verdict = verify(fabric, routes);
  EXPECT_TRUE(verdict.cas_ok());
  EXPECT_TRUE(verdict.ca_to_switch.all());
  for (std::uint32_t s : {0u, 1u})
    EXPECT_EQ(
        std::set<PortNum>(
            {routes.lfts.port(SwitchId(2), fabric.endport(fabric.endports_at(SwitchId(s))[0]).lid),
             routes.lfts.port(SwitchId(2), fabric.endport(fabric.endports_at(SwitchId(s))[1]).lid)})
            .size(),
        2u);
}

TEST(Ftree, SetsNoEntriesInAFabricWithoutLids) {
  Tiny tiny(4);
  tiny.link(0, 2).link(0, 3).link(1, 2).hosts(0, 2).hosts(1, 2);
  const auto bare = tiny.builder().build();
  ASSERT_TRUE(bare);
  const Routes routes = routed_by_ftree(*bare);
  for (std::uint32_t s = 0; s < 4; ++s)
    for (const std::uint8_t port : routes.lfts.row(SwitchId(s))) EXPECT_EQ(PortNum(port), kNoRoute);
}

TEST(Ftree, RoutesTheTreesOfAPartitionedFabric) {
  Tiny tiny(6);
  for (unsigned base : {0u, 3u}) tiny.link(base, base + 2).link(base + 1, base + 2);
  const Fabric fabric = tiny.hosts(0).hosts(1).hosts(3).hosts(4).build();
  const Verdict verdict = verify(fabric, routed_by_ftree(fabric));
  EXPECT_EQ(verdict.ca_to_ca.arrived, 4u);
  EXPECT_EQ(verdict.loops, 0u);
}

}  // namespace
}  // namespace weft
