// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// minhop, updn and dnup with the closed form of ftree, which counts no loads. It is used on nearly
// regular trees only, keeps the guarantees of the engine, and is as balanced as ftree.

#include "routing/trees/tree_form.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "congestion/quality/quality.h"
#include "fabric/builder.h"
#include "routing/dnup.h"
#include "routing/engine.h"
#include "routing/ftree/ftree.h"
#include "routing/minhop.h"
#include "routing/shapes/levels.h"
#include "routing/trees/equivalent_switches.h"
#include "routing/up_down/up_down.h"
#include "routing/updn.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

ftree::Tree tree_of(const Fabric& fabric) {
  auto level = ftree::level_switches(fabric, {}, ftree::find_compute_nodes(fabric, {}));
  CHECK(level.has_value());
  return ftree::Tree(fabric, std::move(*level));
}

TEST(EquivalentSwitches, AreTheLeavesOfAPodAndTheCoresWithTheSameNeighbors) {
  // 4 pods of 2 leaves and 2 spines, and 4 cores: the equivalent switches are 4 sets of leaves, 8
  // sets of one spine, and 2 sets of cores.
  const ftree::Tree tree = tree_of(fabric_of("fattree3:k=4"));
  const ftree::EquivalentSwitches equivalents(tree);
  EXPECT_EQ(equivalents.sets(), 14u);
  for (std::uint32_t set = 0; set < equivalents.sets(); ++set)
    for (const std::uint32_t sw : equivalents.members(set)) {
      EXPECT_EQ(equivalents.set_of(sw), set);
      EXPECT_EQ(tree.level(sw), tree.level(equivalents.first(set)));
      EXPECT_EQ(equivalents.members(set).size(), tree.level(sw) == 1 ? 1u : 2u);
    }
}

// Spines S2 and S3 over leaves S0 and S1. The cables of S1 are at other ports than those of S0, so
// only the spines are equivalent.
TEST(EquivalentSwitches, HaveTheSameNeighborsAtTheSamePorts) {
  const Fabric fabric =
      Tiny(4).link(0, 2).link(0, 3).link(1, 3).link(1, 2).hosts(0, 2).hosts(1, 2).build();
  EXPECT_EQ(ftree::EquivalentSwitches(tree_of(fabric)).sets(), 3u);
}

TEST(TreeForm, IsUsedOnNearlyRegularTreesOnly) {
  for (const std::string spec :
       {"fattree2:k=8", "fattree3:k=8", "fattree3:k=8,pods=3", "fattree3:k=8,fail=6,seed=1",
        "xgft:m=4x4x3,w=1x2x4,trunks=1x2x2", "xgft:m=3x3,w=1x2"})
    EXPECT_TRUE(tree_form(fabric_of(spec), {})) << spec;
  for (const std::string spec :
       {"fattree3:k=8,fail=60,seed=1", "torus:4x4,hosts=1", "hypercube:n=4,hosts=1",
        "random:n=16,degree=4,hosts=2,seed=1", "dragonfly:a=4,h=2,p=2", "full:n=4,hosts=1"})
    EXPECT_FALSE(tree_form(fabric_of(spec), {})) << spec;
  EXPECT_FALSE(tree_form(fabric_of("fattree2:k=8", 1), {}))
      << "LIDs of one port must use different paths";
}

TEST(TreeForm, IsNotUsedWithOptionsOfTheLoadBalance) {
  const Fabric fabric = fabric_of("fattree2:k=8");
  std::vector<RoutingOptions> with_option(8);
  with_option[0].balance = Balance::kLocal;
  with_option[1].order = {EndportId(20)};
  with_option[2].ignored = {EndportId(20)};
  with_option[3].hop_weights.assign(fabric.channel_count(), 2);
  with_option[4].port_rank.assign(fabric.channel_count(), 1);
  with_option[5].port_shifting = true;
  with_option[6].scatter_ports = 1;
  with_option[7].previous = Lfts(fabric.switch_count(), fabric.lid_top());
  for (std::size_t i = 0; i < with_option.size(); ++i)
    EXPECT_FALSE(tree_form(fabric, with_option[i])) << i;
}

TEST(TreeForm, IsNotUsedWithRanksAndOptionsOfRanks) {
  const Fabric fabric = fabric_of("fattree2:k=8");
  const auto ranks = tree_ranks(fabric);
  ASSERT_FALSE(ranks.empty());
  EXPECT_TRUE(tree_form(fabric, {}, ranks));
  RoutingOptions ids, roots;
  ids.switch_rank.assign(fabric.switch_count(), 0);
  roots.connect_roots = true;
  for (const RoutingOptions& options : {ids, roots}) {
    EXPECT_TRUE(tree_form(fabric, options));
    EXPECT_FALSE(tree_form(fabric, options, ranks));
  }
}

// Spines S2 and S3 over leaves S0 and S1. One cable has a quarter of the width, so the balance must
// count loads.
TEST(TreeForm, IsNotUsedForCablesOfDifferentWidth) {
  Tiny tiny(4);
  tiny.link(0, 2).link(0, 3).link(1, 2).link(1, 3).hosts(0, 2).hosts(1, 2);
  EXPECT_TRUE(tree_form(tiny.build(), {}));
  FabricBuilder::PortSpec slow;
  slow.width = LinkWidth::k1x;
  ASSERT_TRUE(tiny.builder().describe_port(0, PortNum(1), slow));
  ASSERT_TRUE(tiny.builder().describe_port(2, PortNum(1), slow));
  EXPECT_FALSE(tree_form(tiny.build(), {}));
}

TEST(TreeForm, EqualsTheTablesOfFtreeWithRanks) {
  for (const std::string spec : {"fattree2:k=8", "fattree3:k=8"}) {
    const Fabric fabric = fabric_of(spec);
    const auto ftree = route_ftree(fabric, {});
    ASSERT_TRUE(ftree);
    EXPECT_EQ(route_updn(fabric, {})->lfts, ftree->lfts) << spec;
    EXPECT_EQ(route_dnup(fabric, {})->lfts, ftree->lfts) << spec;
  }
  const Fabric fabric = fabric_of("fattree2:k=8");
  const std::vector<std::uint16_t> level(fabric.switch_count(), 0);
  EXPECT_FALSE(tree_form(fabric, {}, level))
      << "with equal ranks the switch ids define up and down";
}

// A spine without a cable to a leaf has no up*/down* path to that leaf. The spine and the leaf must
// still be connected, because the manager may be attached to either.
TEST(TreeForm, ConnectsEverySwitchWithEveryHost) {
  for (const std::string tree : {"fattree2:k=4", "fattree2:k=8", "fattree3:k=8"})
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const std::string spec = tree + ",fail=1,seed=" + std::to_string(seed);
      const Fabric fabric = fabric_of(spec);
      for (const auto run : {find_engine("updn")->run, find_engine("dnup")->run})
        for (const bool by_form : {true, false}) {
          const Verdict verdict = verify(fabric, *run(fabric, {.port_shifting = !by_form}));
          EXPECT_TRUE(verdict.ok()) << spec;
          EXPECT_TRUE(verdict.ca_to_switch.all()) << spec;
          EXPECT_TRUE(verdict.switch_to_ca.all()) << spec;
          EXPECT_TRUE(verdict.switch_credit_loop.empty()) << spec;
        }
    }
}

TEST(TreeForm, HasShortestPathsFromEverySwitch) {
  for (const std::string tree : {"fattree2:k=8,trunks=2", "fattree3:k=8", "xgft:m=3x4x3,w=1x3x2"})
    for (unsigned seed = 0; seed < 8; ++seed) {
      const std::string spec =
          tree + ",fail=" + std::to_string(seed) + ",seed=" + std::to_string(seed);
      const Fabric fabric = fabric_of(spec);
      const auto lfts = tree_form(fabric, {});
      if (!lfts) continue;  // more than an eighth of the cables between two levels may be missing
      const auto graph = neighbors(fabric);
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        const auto hops = shortest_hops(graph, {to.sw.value()});
        for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
          const auto visited = walk(fabric, *lfts, s, to, lid);
          ASSERT_TRUE(visited) << spec << " from " << s << " to LID " << lid.value();
          ASSERT_EQ(visited->size(), hops[s] + 1) << spec << " from " << s;
        }
      });
    }
}

TEST(TreeForm, TablesAreEqualForAnyNumberOfThreads) {
  for (const std::string spec : {"fattree3:k=16", "fattree3:k=16,fail=41,seed=1"}) {
    const Fabric fabric = fabric_of(spec);
    for (const auto run :
         {find_engine("minhop")->run, find_engine("updn")->run, find_engine("ftree")->run}) {
      const auto one = run(fabric, {.threads = 1});
      for (const unsigned threads : {2u, 8u})
        EXPECT_EQ(run(fabric, {.threads = threads})->lfts, one->lfts) << spec;
    }
  }
}

// 2% of the cables between switches are missing. OpenSM's ftree refuses this tree; OpenSM's minhop
// has an effective bisection bandwidth of 0.44.
TEST(TreeForm, KeepsTheBisectionBandwidthOfDegradedTrees) {
  const Fabric fabric = fabric_of("fattree3:k=16,fail=41,seed=1");
  for (const auto run :
       {find_engine("minhop")->run, find_engine("updn")->run, find_engine("dnup")->run}) {
    const Quality quality = assess(fabric, *run(fabric, {}));
    EXPECT_GE(quality.ebb, 0.67);
    EXPECT_EQ(quality.nonminimal, 0u);
  }
}

}  // namespace
}  // namespace weft
