// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The channel dependency graph, compared with plain reachability on random graphs: a cycle is found
// if and only if there is one, for any order of the edges.
#include "verify/dependencies.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "support/tiny.h"

namespace weft {
namespace {

constexpr std::uint64_t kSeed = 11;
constexpr unsigned kVls = 2;

using Edge = std::pair<std::size_t, std::size_t>;

std::size_t number(const DependencyGraph::Vertex& v) { return v.channel.value() * kVls + v.vl; }

/// The number of vertices on cycles, by Warshall's algorithm.
std::size_t count_vertices_on_cycles(std::size_t vertices, const std::set<Edge>& edges) {
  std::vector<std::vector<bool>> reach(vertices, std::vector<bool>(vertices));
  for (const auto& [from, to] : edges) reach[from][to] = true;
  for (std::size_t via = 0; via < vertices; ++via)
    for (std::size_t from = 0; from < vertices; ++from)
      for (std::size_t to = 0; reach[from][via] && to < vertices; ++to)
        if (reach[via][to]) reach[from][to] = true;
  std::size_t count = 0;
  for (std::size_t v = 0; v < vertices; ++v) count += reach[v][v] ? 1 : 0;
  return count;
}

/// Compares graphs with 2 to `edges_most` random dependencies.
void expect_cycles(const Fabric& fabric, unsigned graphs, std::uint64_t edges_most) {
  const std::size_t vertices = fabric.channel_count() * std::size_t{kVls};
  Rng rng(kSeed);
  unsigned cyclic = 0;
  for (unsigned drawn = 0; drawn < graphs; ++drawn) {
    DependencyGraph graph(fabric, kVls);
    std::set<Edge> edges;
    for (std::uint64_t n = 2 + rng.below(edges_most - 1); n > 0; --n) {
      const ChannelId from(static_cast<std::uint32_t>(rng.below(fabric.channel_count())));
      const SwitchId at = fabric.channel(from).to;
      const auto index = static_cast<std::uint32_t>(rng.below(fabric.channels_from(at).size()));
      const DependencyGraph::Vertex a{from, static_cast<std::uint8_t>(rng.below(kVls))};
      const DependencyGraph::Vertex b{ChannelId(fabric.first_channel(at).value() + index),
                                      static_cast<std::uint8_t>(rng.below(kVls))};
      graph.add(a, b);
      edges.emplace(number(a), number(b));
    }
    const std::size_t wanted = count_vertices_on_cycles(vertices, edges);
    const auto cycle = graph.find_cycle();
    ASSERT_EQ(graph.edge_count(), edges.size()) << "graph " << drawn << " of seed " << kSeed;
    ASSERT_EQ(graph.vertices_on_cycles(), wanted) << "graph " << drawn << " of seed " << kSeed;
    ASSERT_EQ(cycle.empty(), wanted == 0) << "graph " << drawn << " of seed " << kSeed;
    for (std::size_t i = 0; i < cycle.size(); ++i)
      ASSERT_TRUE(edges.contains({number(cycle[i]), number(cycle[(i + 1) % cycle.size()])}));
    cyclic += wanted > 0 ? 1 : 0;
  }
  EXPECT_GT(cyclic, graphs / 10);
  EXPECT_LT(cyclic, graphs * 9 / 10);
}

//  S0 - S1
//   | X |     all switches are cabled to each other; two VLs
//  S3 - S2
TEST(Dependencies, FindsACycleForAnyOrderOfTheEdges) {
  expect_cycles(Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).link(0, 2).link(1, 3).build(),
                400, 25);
}

// The mask of the channels of a switch has more than one word of 64 bits.
TEST(Dependencies, FindsACycleAmongManyCablesOfTwoSwitches) {
  expect_cycles(Tiny(2, 80).link(0, 1, 70).build(), 20, 400);
}

// The same fabric with one VL, where whole words of channels are compared.
TEST(Dependencies, FindsACycleThroughAnyOfManyChannelsOnOneVl) {
  const Fabric fabric = Tiny(2, 80).link(0, 1, 70).build();
  const ChannelId first(0);
  const ChannelId from_other = fabric.first_channel(kS1);
  for (std::uint32_t index = 0; index < 70; ++index) {
    DependencyGraph graph(fabric, 1);
    const DependencyGraph::Vertex back{ChannelId(from_other.value() + index), 0};
    graph.add({first, 0}, back);
    EXPECT_TRUE(graph.is_acyclic()) << index;
    graph.add(back, {first, 0});
    EXPECT_FALSE(graph.is_acyclic()) << index;
  }
}

}  // namespace
}  // namespace weft
