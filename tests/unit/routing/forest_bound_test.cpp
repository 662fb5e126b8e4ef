// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The lower bound of the largest load that ends the passes of --reweight.

#include "routing/reweight/forest_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "routing/reweight/parameter.h"
#include "routing/reweight/tables.h"
#include "routing/shapes/shortest_dag.h"
#include "support/fabric_of.h"
#include "support/routed_by.h"
#include "support/tiny.h"

namespace weft {
namespace {

using reweight::Arcs;
using reweight::CandidateStore;
using reweight::Forest;
using reweight::ForestBound;
using reweight::kFlowTime;

reweight::Candidates shortest_candidates(const Fabric& fabric) {
  return [&fabric, heads = channel_heads(fabric)](SwitchId to, HopDag& dag) {
    make_shortest_dag(fabric, heads, to, dag);
  };
}

/// The trees of the tables, one toward each host.
Forest forest_of(const Fabric& fabric, const Lfts& lfts) {
  Forest forest;
  forest.arcs = reweight::channels_as_arcs(fabric, {});
  for (const Destination& destination : destinations(fabric)) {
    Forest::Group group{destination.sw, static_cast<std::uint32_t>(forest.weights.size()), 0};
    for (const EndportId id : destination.endports) {
      if (fabric.is_switch(fabric.endport(id).node)) continue;
      forest.weights.push_back(1);
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
        const ChannelId channel =
            fabric.channel_at(SwitchId(s), lfts.port(SwitchId(s), fabric.endport(id).lid));
        forest.steps.push_back(
            channel == kNoChannel
                ? reweight::kNoStep
                : static_cast<std::uint8_t>(channel.value() -
                                            fabric.first_channel(SwitchId(s)).value()));
      }
    }
    group.end = static_cast<std::uint32_t>(forest.weights.size());
    if (group.end > group.begin) forest.groups.push_back(group);
  }
  return forest;
}

/// The forest of minhop with its bound and its loads.
struct Bounded {
  explicit Bounded(Fabric given)
      : fabric(std::move(given)),
        forest(forest_of(fabric, routed_by("minhop", fabric, {}).lfts)),
        store(forest, shortest_candidates(fabric), 1),
        load(*loads(forest, store, false, 1)),
        bound(forest, store, 1) {}
  std::uint64_t largest() const { return std::ranges::max(load); }

  Fabric fabric;
  Forest forest;
  CandidateStore store;
  std::vector<std::uint64_t> load;
  ForestBound bound;
};

TEST(ForestBound, EqualsTheLoadOfWholeTrees) {
  for (const char* spec : {"fattree2:k=8", "fattree3:k=4", "fattree3:k=8"}) {
    Bounded one(fabric_of(spec));
    EXPECT_EQ(one.bound.value(), one.largest()) << spec << ": uplinks of a leaf";
    EXPECT_TRUE(one.bound.is_near(one.load, 100)) << spec;
  }
}

// All traffic between two groups uses their few cables. No single switch has such a high load on
// average.
TEST(ForestBound, FindsCablesBetweenGroupsByPowersOfTheLoad) {
  Bounded one(fabric_of("dragonflyplus:leaves=4,spines=4,h=2,hosts=4,g=5"));
  EXPECT_FALSE(one.largest() * 100 <= one.bound.value() * 105);
  EXPECT_TRUE(one.bound.is_near(one.load, 101));
  EXPECT_LE(one.bound.value(), one.largest());
}

TEST(ForestBound, IsAtMostTheLoadOfAnyRoutes) {
  for (const char* spec :
       {"torus:4x4,hosts=2", "random:n=24,degree=5,hosts=2,seed=3", "hyperx:4x4,hosts=2",
        "fattree3:k=8,fail=20,seed=1", "dragonfly:a=4,h=2,p=2", "kautz:b=3,n=2,hosts=2"}) {
    Bounded before(fabric_of(spec));
    before.bound.is_near(before.load, 100);
    RoutingOptions options;
    options.parameters.set(kReweight, 24);
    const Lfts lfts = routed_by("minhop", before.fabric, options).lfts;
    const std::uint64_t least = reweight::measure_tables(before.fabric, lfts, 1).largest;
    EXPECT_LE(before.bound.value(), least) << spec;
    EXPECT_GE(before.bound.value() * 4, least * 3) << spec << ": the bound is too low";
  }
}

// Trees that do not change can use other paths than candidates.
TEST(ForestBound, ExcludesTreesThatDoNotChange) {
  Bounded all(two_by_two(1));
  EXPECT_EQ(all.bound.value(), kFlowTime / 2) << "one flow leaves a leaf by two arcs";
  all.forest.fixed = {false, true};
  ForestBound one(all.forest, all.store, 1);
  EXPECT_EQ(one.value(), kFlowTime / 2);
  all.forest.fixed = {true, true};
  ForestBound none(all.forest, all.store, 1);
  EXPECT_FALSE(none.is_near(all.load, 100));
  EXPECT_EQ(none.value(), 0u);
}

// Two leaves with two cables to each other. One cable has a quarter of the rate, so that a flow
// on it takes four times as long: 4 flows take at least 4 / 1.25 units.
TEST(ForestBound, CountsTheRatesOfLinks) {
  Tiny tiny(2);
  tiny.link(0, 1, 2).hosts(0, 2).hosts(1, 2);
  Bounded one(tiny.build());
  EXPECT_EQ(one.bound.value(), 2 * kFlowTime);
  for (std::uint32_t a = 0; a < one.forest.arcs.count(); a += 2)
    one.forest.arcs.time[a] = 4 * kFlowTime;
  ForestBound slower(one.forest, one.store, 1);
  EXPECT_EQ(slower.value(), 16 * kFlowTime / 5);
  one.load = *loads(one.forest, one.store, false, 1);
  slower.is_near(one.load, 100);
  EXPECT_LE(slower.value(), std::ranges::max(one.load));
}

TEST(ForestBound, DoesNotDependOnThreads) {
  Bounded one(fabric_of("dragonfly:a=4,h=2,p=2"));
  ForestBound many(one.forest, one.store, 8);
  one.bound.is_near(one.load, 100);
  many.is_near(one.load, 100);
  EXPECT_EQ(many.value(), one.bound.value());
}

TEST(Passes, DoNotBeginIfTheLoadIsEqualToItsBound) {
  for (const unsigned passes : {8u, kReweightAuto}) {
    const Fabric fabric = fabric_of("fattree3:k=8");
    Lfts lfts = routed_by("minhop", fabric, {}).lfts;
    const Lfts before = lfts;
    const auto outcome = reweight::reweigh_tables(fabric, destinations(fabric),
                                                  shortest_candidates(fabric), {}, passes, lfts);
    EXPECT_EQ(outcome.passes, 0u) << passes;
    EXPECT_GT(outcome.before.largest, 0u);
    EXPECT_EQ(lfts, before);
  }
}

// The load is more than 1.02 times the bound, and at most 1.05 times: only passes of "auto" do not
// begin.
TEST(Passes, OfAutoDoNotBeginNearTheBound) {
  const Fabric fabric = fabric_of("kautz:b=3,n=3,hosts=4");
  const auto order = destinations(fabric);
  Lfts lfts = routed_by("minhop", fabric, {}).lfts;
  const auto run = [&](unsigned reweight) {
    return reweight::reweigh_tables(fabric, order, shortest_candidates(fabric), {}, reweight, lfts);
  };
  const auto first = run(kReweightAuto);
  EXPECT_GT(first.passes, 1u);
  EXPECT_LT(first.passes, 24u);
  EXPECT_EQ(run(kReweightAuto).passes, 0u);
  EXPECT_GT(run(24).passes, 0u);
}

// Only on trees, half of the passes are reserved for paths over crowded links.
TEST(Passes, AreAsManyAsRequestedOnFabricsOtherThanTrees) {
  const Fabric fabric = fabric_of("torus:5x5x5,hosts=1,dead=5");
  Lfts lfts = routed_by("minhop", fabric, {}).lfts;
  const auto outcome = reweight::reweigh_tables(fabric, destinations(fabric),
                                                shortest_candidates(fabric), {}, 4, lfts);
  EXPECT_EQ(outcome.passes, 4u);
}

std::size_t changed_entries_of(const Fabric& fabric, const Lfts& before, const Lfts& after) {
  std::size_t count = 0;
  for (const EndportId id : fabric.hosts())
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const Lid lid = fabric.endport(id).lid;
      if (before.port(SwitchId(s), lid) != after.port(SwitchId(s), lid)) ++count;
    }
  return count;
}

// Passes with a number also move paths over other links if the load stays above the bound.
TEST(Passes, OfAutoChangeFewEntriesOfTrees) {
  for (const char* engine : {"minhop", "ftree"}) {
    const Fabric fabric = fabric_of("fattree3:k=16,fail=41,seed=1");
    const Lfts before = routed_by(engine, fabric, {}).lfts;
    const auto with = [&](unsigned reweight) {
      RoutingOptions options;
      options.parameters.set(kReweight, reweight);
      return routed_by(engine, fabric, options).lfts;
    };
    const Lfts after = with(kReweightAuto);
    EXPECT_LT(changed_entries_of(fabric, before, after) * 2,
              changed_entries_of(fabric, before, with(24)))
        << engine;
    EXPECT_LT(reweight::measure_tables(fabric, after, 1).largest * 4,
              reweight::measure_tables(fabric, before, 1).largest * 3)
        << engine;
  }
}

TEST(Passes, CrowdedLoadIsAboveTheBoundAndNearTheLargest) {
  const std::vector<std::uint64_t> load{300, 1000, 20};
  const Fabric tree = fabric_of("fattree2:k=4");
  const Arcs arcs = reweight::channels_as_arcs(tree, {});
  EXPECT_EQ(reweight::crowded_load(arcs, 900, load), 918u);
  EXPECT_EQ(reweight::crowded_load(arcs, 500, load), 800u);
  const Fabric torus = fabric_of("torus:4x4");
  EXPECT_EQ(reweight::crowded_load(reweight::channels_as_arcs(torus, {}), 900, load), 0u)
      << "all switches have hosts";
}

}  // namespace
}  // namespace weft
