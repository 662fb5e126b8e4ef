// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The lower bound on the largest link load. It is compared with a plain model and with values
// computed by hand, and it is not above the loads of any engine.

#include "congestion/quality/load_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "congestion/quality/quality.h"
#include "routing/engine.h"
#include "support/fabric_of.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "support/walks.h"

namespace weft {
namespace {

/// The lengths of shortest paths, by source and destination switch. All lengths are relaxed until
/// none decreases. For paths of the fewest hops, a hop has more weight than all lengths together.
std::vector<std::vector<std::uint64_t>> plain_distances(const Fabric& fabric,
                                                        std::span<const std::uint32_t> lengths,
                                                        BoundPaths paths) {
  const std::uint32_t switches = fabric.switch_count();
  const std::uint64_t hop = paths == BoundPaths::kFewestHops ? std::uint64_t{1} << 40 : 0;
  constexpr std::uint64_t kNone = std::uint64_t{1} << 60;
  std::vector<std::vector<std::uint64_t>> found(switches,
                                                std::vector<std::uint64_t>(switches, kNone));
  for (std::uint32_t to = 0; to < switches; ++to) {
    found[to][to] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) {
        const Channel& channel = fabric.channel(ChannelId(c));
        const std::uint64_t through = found[channel.to.value()][to] + lengths[c] + hop;
        if (through >= found[channel.from.value()][to]) continue;
        found[channel.from.value()][to] = through;
        changed = true;
      }
    }
  }
  for (auto& row : found)
    for (std::uint64_t& length : row)
      length = length == kNone ? kNone : length & ((std::uint64_t{1} << 40) - 1);
  return found;
}

LoadBound plain_bound(const Fabric& fabric, std::span<const std::uint32_t> lengths,
                      BoundPaths paths) {
  const auto distances = plain_distances(fabric, lengths, paths);
  LoadBound bound;
  std::uint64_t distance = 0;
  const auto hosts = fabric.hosts();
  for (const EndportId a : hosts)
    for (const EndportId b : hosts) {
      const std::uint64_t one =
          distances[fabric.endport(a).sw.value()][fabric.endport(b).sw.value()];
      if (a == b || one >= std::uint64_t{1} << 40) continue;
      distance += one;
      ++bound.pairs;
    }
  const std::uint64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  bound.paths = sum == 0 ? 0 : (distance + sum - 1) / sum;
  return bound;
}

Fabric random_fabric(Rng& rng) {
  const auto pick = [&](std::uint64_t below) { return rng.below(below); };
  const std::uint64_t n = 4 + 2 * pick(6);
  return fabric_of("random:n=" + std::to_string(n) + ",degree=" + std::to_string(2 + pick(2)) +
                   ",hosts=" + std::to_string(1 + pick(3)) + ",seed=" + std::to_string(pick(1000)) +
                   ",fail=" + std::to_string(pick(3)) + ",dead=" + std::to_string(pick(2)) +
                   ",connected=0");
}

TEST(LoadBound, OfLengthsEqualsThePlainModel) {
  Rng rng(29);
  for (unsigned i = 0; i < 500; ++i) {
    const Fabric fabric = random_fabric(rng);
    std::vector<std::uint32_t> lengths;
    for (std::uint32_t c = 0; c < fabric.channel_count(); ++c)
      lengths.push_back(1 + static_cast<std::uint32_t>(rng.below(i % 2 == 0 ? 4 : kLengthMost)));
    for (const BoundPaths paths : {BoundPaths::kFewestHops, BoundPaths::kAny}) {
      const LoadBound found = bound_of_lengths(fabric, lengths, paths, 2);
      const LoadBound plain = plain_bound(fabric, lengths, paths);
      EXPECT_EQ(found.paths, plain.paths) << i;
      EXPECT_EQ(found.pairs, plain.pairs) << i;
    }
  }
}

LoadBound bound_from_equal(const Fabric& fabric, BoundPaths paths) {
  return least_load(fabric, std::vector<std::uint64_t>(fabric.channel_count(), 1), paths, 1);
}

// S0 - S1 with two hosts on each: four paths in each direction.
TEST(LoadBound, OfOneCableIsTheNumberOfPathsInOneDirection) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0, 2).hosts(1, 2).build();
  for (const BoundPaths paths : {BoundPaths::kFewestHops, BoundPaths::kAny}) {
    EXPECT_EQ(bound_from_equal(fabric, paths).paths, 4u);
    EXPECT_EQ(bound_from_equal(fabric, paths).pairs, 12u);
  }
}

// Three switches in a triangle, with nine hosts on S0 and on S1 and none on S2. Shortest paths put
// all 81 paths on the cable from S0 to S1. If longer paths are allowed, half of the paths can use
// S2.
TEST(LoadBound, OfShortestPathsIsAboveTheBoundOfAnyPaths) {
  const Fabric fabric =
      Tiny(3, 16).link(0, 1).link(1, 2).link(0, 2).hosts(0, 9).hosts(1, 9).build();
  EXPECT_EQ(bound_from_equal(fabric, BoundPaths::kFewestHops).paths, 81u);
  const LoadBound any = bound_from_equal(fabric, BoundPaths::kAny);
  EXPECT_LE(any.paths, 41u);
  EXPECT_GE(any.paths, 39u);
}

// Two stars with one cable between them, which carries sixteen paths. With equal lengths of all
// channels the bound would be much lower.
TEST(LoadBound, FindsTheOnlyCableBetweenTwoStars) {
  Tiny tiny(10, 16);
  tiny.link(0, 1);
  for (unsigned i = 2; i < 6; ++i) tiny.link(0, i).hosts(i);
  for (unsigned i = 6; i < 10; ++i) tiny.link(1, i).hosts(i);
  const Fabric fabric = tiny.build();
  const std::vector<std::uint32_t> equal(fabric.channel_count(), 1);
  EXPECT_LT(bound_of_lengths(fabric, equal, BoundPaths::kAny, 1).paths, 11u);
  EXPECT_GE(bound_from_equal(fabric, BoundPaths::kFewestHops).paths, 15u);
  EXPECT_LE(bound_from_equal(fabric, BoundPaths::kFewestHops).paths, 16u);
}

// The flows of earlier steps are part of the flows from which the next lengths follow. Without
// them, the bounds are 129 and 1053; with equal lengths alone they are 120 and 1024.
TEST(LoadBound, RisesWithTheFlowsOfEarlierSteps) {
  for (const auto& [spec, least] :
       {std::pair("torus:6x6,hosts=2,fail=5,seed=2", 133u), {"dragonfly:a=8,h=4,p=4", 1058u}}) {
    const Fabric fabric = fabric_of(spec);
    const auto routes = run_engine(*find_engine("minhop"), fabric, {});
    ASSERT_TRUE(routes);
    const Quality quality = assess(fabric, *routes, {.matchings = 1, .bound = true});
    ASSERT_TRUE(quality.link_load_bound) << spec;
    EXPECT_GE(*quality.link_load_bound, least) << spec;
    EXPECT_LE(*quality.link_load_bound, quality.link_load_max) << spec;
  }
}

TEST(LoadBound, IsNeverAboveTheLoadOfAnyEngine) {
  for (const char* spec : kSmallSpecs) {
    const Fabric fabric = fabric_of(spec);
    for (const Engine& engine : engines()) {
      const auto routes = run_engine(engine, fabric, {});
      if (!routes) continue;
      const Quality quality = assess(fabric, *routes, {.matchings = 1, .bound = true});
      if (!quality.link_load_bound) {
        EXPECT_NE(quality.link_load_bound_basis.find("paths are missing"), std::string::npos)
            << spec << ' ' << engine.name;
        continue;
      }
      EXPECT_LE(*quality.link_load_bound, quality.link_load_max) << spec << ' ' << engine.name;
      EXPECT_EQ(quality.link_load_bound_basis,
                quality.nonminimal == 0 ? "shortest paths" : "any paths");
    }
  }
}

TEST(LoadBound, IsNeverAboveTheLoadOnRandomFabrics) {
  Rng rng(30);
  for (unsigned i = 0; i < 200; ++i) {
    const Fabric fabric = random_fabric(rng);
    for (const char* name : {"minhop", "updn", "nue"}) {
      const auto routes = run_engine(*find_engine(name), fabric, {});
      if (!routes) continue;  // the engine refuses partitioned fabrics
      const Quality quality = assess(fabric, *routes, {.matchings = 1, .bound = true});
      ASSERT_TRUE(quality.link_load_bound) << i << quality.link_load_bound_basis;
      EXPECT_LE(*quality.link_load_bound, quality.link_load_max) << i << ' ' << name;
    }
  }
}

TEST(LoadBound, FollowsFromTheReturnedLengths) {
  for (const char* spec : {"dragonfly:a=4,h=2,p=2", "torus:4x4,hosts=2,fail=3,seed=1"}) {
    const Fabric fabric = fabric_of(spec);
    for (const BoundPaths paths : {BoundPaths::kFewestHops, BoundPaths::kAny}) {
      const LoadBound bound = bound_from_equal(fabric, paths);
      ASSERT_EQ(bound.lengths.size(), fabric.channel_count());
      const LoadBound proved = bound_of_lengths(fabric, bound.lengths, paths, 1);
      EXPECT_EQ(proved.paths, bound.paths) << spec;
      EXPECT_EQ(proved.timed, bound.timed) << spec;
    }
    const auto routes = run_engine(*find_engine("minhop"), fabric, {});
    ASSERT_TRUE(routes);
    const Quality quality = assess(fabric, *routes, {.matchings = 1, .bound = true});
    EXPECT_EQ(bound_of_lengths(fabric, quality.bound_lengths, BoundPaths::kFewestHops, 1).paths,
              quality.link_load_bound);
    EXPECT_EQ(quality.timed_bound_lengths, quality.bound_lengths) << "all links have one rate";
  }
}

TEST(LoadBound, IsEqualForAnyNumberOfThreads) {
  for (const char* spec : {"dragonfly:a=4,h=2,p=2", "random:n=64,degree=6,hosts=2,seed=1"}) {
    const Fabric fabric = fabric_of(spec);
    std::vector<std::uint64_t> load;
    for (std::uint32_t c = 0; c < fabric.channel_count(); ++c) load.push_back(c * 37 % 101);
    for (const BoundPaths paths : {BoundPaths::kFewestHops, BoundPaths::kAny}) {
      const LoadBound one = least_load(fabric, load, paths, 1);
      for (const unsigned threads : {2u, 16u})
        EXPECT_EQ(least_load(fabric, load, paths, threads).paths, one.paths) << spec;
    }
  }
}

TEST(LoadBound, IsNotComputedIfPathsAreMissing) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0, 2).hosts(1, 2).build();
  auto routes = run_engine(*find_engine("minhop"), fabric, {});
  ASSERT_TRUE(routes);
  routes->lfts.set(SwitchId(0), fabric.endport(host_at(fabric, SwitchId(1), 0)).lid, kNoRoute);
  const Quality quality = assess(fabric, *routes, {.bound = true});
  EXPECT_FALSE(quality.link_load_bound);
  EXPECT_EQ(quality.link_load_bound_basis, "not computed: 2 paths are missing");
}

TEST(LoadBound, IsNotComputedUnlessRequested) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  const auto routes = run_engine(*find_engine("minhop"), fabric, {});
  ASSERT_TRUE(routes);
  EXPECT_FALSE(assess(fabric, *routes).link_load_bound);
  EXPECT_EQ(assess(fabric, *routes).link_load_bound_basis, "");
}

// Both hosts are on S0, so no path uses a cable.
TEST(LoadBound, IsZeroIfNoPathUsesACable) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0, 2).build();
  for (const BoundPaths paths : {BoundPaths::kFewestHops, BoundPaths::kAny})
    EXPECT_EQ(least_load(fabric, std::vector<std::uint64_t>(2, 0), paths, 1).paths, 0u);
}

TEST(LoadBound, OfOneSwitchIsZero) {
  const Fabric fabric = Tiny(1).hosts(0, 3).build();
  EXPECT_EQ(least_load(fabric, {}, BoundPaths::kFewestHops, 1).paths, 0u);
  EXPECT_EQ(least_load(fabric, {}, BoundPaths::kFewestHops, 1).pairs, 6u);
}

// The expected bound is stated in docs/reference/cli.md, section "weft route".
TEST(LoadBound, OfATorusIsTheDocumentedValue) {
  const Fabric fabric = fabric_of("torus:5x5x5");
  EXPECT_EQ(bound_from_equal(fabric, BoundPaths::kFewestHops).paths, 75u);
}

}  // namespace
}  // namespace weft
