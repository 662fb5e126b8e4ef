// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Disjoint sets and strongly connected components, compared with plain reachability on random
// graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/components.h"
#include "base/disjoint_sets.h"
#include "base/rng.h"

namespace weft {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr std::uint32_t kVertices = 9;

using Reach = std::vector<std::vector<bool>>;

Reach transitive_closure(Reach reach) {
  for (std::uint32_t via = 0; via < kVertices; ++via)
    for (std::uint32_t from = 0; from < kVertices; ++from)
      for (std::uint32_t to = 0; to < kVertices; ++to)
        if (reach[from][via] && reach[via][to]) reach[from][to] = true;
  return reach;
}

Reach nothing() { return Reach(kVertices, std::vector<bool>(kVertices)); }

TEST(DisjointSets, ContainTheElementsThatTheJoinedPairsConnect) {
  Rng rng(kSeed);
  for (unsigned drawn = 0; drawn < 200; ++drawn) {
    DisjointSets sets(kVertices);
    Reach reach = nothing();
    for (std::uint32_t v = 0; v < kVertices; ++v) reach[v][v] = true;
    for (std::uint64_t pairs = rng.below(12); pairs > 0; --pairs) {
      const auto a = static_cast<std::uint32_t>(rng.below(kVertices));
      const auto b = static_cast<std::uint32_t>(rng.below(kVertices));
      EXPECT_EQ(sets.join(a, b), !reach[a][b]) << "draw " << drawn << " of seed " << kSeed;
      reach[a][b] = reach[b][a] = true;
      reach = transitive_closure(std::move(reach));
    }
    for (std::uint32_t v = 0; v < kVertices; ++v) {
      std::uint32_t smallest = 0;
      while (!reach[v][smallest]) ++smallest;
      EXPECT_EQ(sets.find(v), smallest) << "draw " << drawn << " of seed " << kSeed;
    }
  }
}

// All graphs use one object, so the test also shows that earlier graphs have no effect on later
// graphs.
TEST(Components, AreTheSetsOfVerticesThatReachEachOther) {
  Rng rng(kSeed);
  Components components(kVertices);
  unsigned large = 0;
  for (unsigned drawn = 0; drawn < 400; ++drawn) {
    std::vector<std::vector<std::uint32_t>> edges(kVertices);
    Reach reach = nothing();
    for (std::uint64_t n = rng.below(24); n > 0; --n) {
      const auto from = static_cast<std::uint32_t>(rng.below(kVertices));
      const auto to = static_cast<std::uint32_t>(rng.below(kVertices));
      edges[from].push_back(rng.chance(0.2) ? Components::kNoEdge : to);
      if (edges[from].back() == to) reach[from][to] = true;
    }
    reach = transitive_closure(std::move(reach));
    const auto edge = [&](std::uint32_t v, std::uint32_t k) {
      return k < edges[v].size() ? edges[v][k] : Components::kNoMore;
    };
    components.begin();
    std::vector<unsigned> reported(kVertices, 0);
    for (std::uint32_t root = 0; root < kVertices; ++root)
      components.visit(root, edge, [&](std::span<const std::uint32_t> members) {
        large += members.size() > 2 ? 1 : 0;
        for (const std::uint32_t v : members) {
          ++reported[v];
          EXPECT_TRUE(components.is_visited(v));
          for (const std::uint32_t w : members)
            EXPECT_TRUE(v == w || (reach[v][w] && reach[w][v]))
                << "draw " << drawn << " of seed " << kSeed;
          for (std::uint32_t w = 0; w < kVertices; ++w)
            if (reach[v][w] && !reach[w][v]) {
              EXPECT_EQ(reported[w], 1u)
                  << "expected the components of successors to be reported first";
            }
        }
      });
    for (std::uint32_t v = 0; v < kVertices; ++v) {
      EXPECT_EQ(reported[v], 1u) << "draw " << drawn << " of seed " << kSeed;
      for (std::uint32_t w = 0; w < kVertices; ++w)
        EXPECT_EQ(components.in_same_component(v, w), v == w || (reach[v][w] && reach[w][v]))
            << "draw " << drawn << " of seed " << kSeed;
    }
  }
  EXPECT_GT(large, 50u);
}

TEST(Components, VisitOnlyVerticesReachableFromTheRoot) {
  Components components(4);
  components.begin();
  const auto edge = [](std::uint32_t v, std::uint32_t k) {
    return k == 0 && v < 2 ? v + 1 : Components::kNoMore;
  };
  std::vector<std::uint32_t> order;
  components.visit(0, edge, [&](auto members) { order.push_back(members.front()); });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{2, 1, 0}));
  EXPECT_FALSE(components.is_visited(3));
  components.visit(1, edge,
                   [&](auto) { ADD_FAILURE() << "a component was reported a second time"; });
  components.begin();
  for (std::uint32_t v = 0; v < 4; ++v) EXPECT_FALSE(components.is_visited(v));
}

}  // namespace
}  // namespace weft
