// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The acyclic turn graph accepts and refuses paths correctly, and a refusal leaves the graph
// unchanged.

#include "routing/deadlock/acyclic_turns.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "support/walks.h"

namespace weft {
namespace {

using VertexPath = std::vector<std::uint32_t>;

std::uint32_t channel_between(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
  std::uint32_t id = fabric.first_channel(SwitchId(from)).value();
  for (const Channel& channel : fabric.channels_from(SwitchId(from))) {
    if (channel.to == SwitchId(to)) return id;
    ++id;
  }
  ADD_FAILURE() << "no cable from " << from << " to " << to;
  return 0;
}

/// Channels of a path given by its switches.
VertexPath path_over(const Fabric& fabric, const std::vector<std::uint32_t>& switches) {
  VertexPath path;
  for (std::size_t i = 0; i + 1 < switches.size(); ++i)
    path.push_back(channel_between(fabric, switches[i], switches[i + 1]));
  return path;
}

/// Whether these turns form a cycle, by repeatedly removing channels without predecessors.
bool has_cycle(const std::multiset<std::pair<std::uint32_t, std::uint32_t>>& turns) {
  auto left = std::set(turns.begin(), turns.end());
  for (bool removed = true; removed;) {
    std::set<std::uint32_t> wanted;
    for (const auto& turn : left) wanted.insert(turn.second);
    removed = std::erase_if(left, [&](const auto& t) { return !wanted.contains(t.first); }) > 0;
  }
  return !left.empty();
}

// Four switches in a ring. Three paths of two hops in one direction form no cycle of turns. The
// fourth path closes a cycle.
TEST(AcyclicTurns, RefusesTheLastPathAroundARing) {
  const Fabric fabric = fabric_of("ring:n=4,hosts=1");
  const Turns turns(fabric);
  const auto next = neighbors(fabric);
  std::vector<std::uint32_t> around{0, next[0][0]};
  while (around.size() < 6)
    around.push_back(next[around.back()][0] == around[around.size() - 2] ? next[around.back()][1]
                                                                         : next[around.back()][0]);
  ASSERT_EQ(around[4], around[0]);
  AcyclicTurns graph(turns);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(graph.add_path(path_over(fabric, {around[i], around[i + 1], around[i + 2]})));
  const VertexPath last = path_over(fabric, {around[3], around[4], around[5]});
  EXPECT_FALSE(graph.add_path(last));
  EXPECT_FALSE(graph.has(last[0], last[1]));
  EXPECT_EQ(graph.refusals(), 1u);

  graph.remove_path(path_over(fabric, {around[0], around[1], around[2]}));
  EXPECT_TRUE(graph.add_path(last));
}

// A packet may change its lane at each switch.
TEST(AcyclicTurns, AcceptOnLanesExactlyThePathsWithoutACycle) {
  constexpr unsigned kLanes = 3;
  const Fabric fabric = fabric_of("torus:3x3,hosts=1");
  const Turns turns(fabric, kLanes);
  ASSERT_EQ(turns.channel_count(), fabric.channel_count() * kLanes);
  Rng rng(7);
  AcyclicTurns graph(turns);
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> held;
  std::vector<VertexPath> paths;
  unsigned accepted = 0, refused = 0;
  for (unsigned round = 0; round < 800; ++round) {
    if (!paths.empty() && rng.below(4) == 0) {
      graph.remove_path(paths.back());
      for (std::size_t i = 0; i + 1 < paths.back().size(); ++i)
        held.erase(held.find({paths.back()[i], paths.back()[i + 1]}));
      paths.pop_back();
    }
    VertexPath path{static_cast<std::uint32_t>(rng.below(turns.channel_count()))};
    while (path.size() < 4)
      path.push_back(turns.first_out(path.back()) +
                     static_cast<std::uint32_t>(rng.below(turns.outs(path.back()))));
    auto with = held;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) with.emplace(path[i], path[i + 1]);
    const bool cyclic = has_cycle(with);
    ASSERT_EQ(graph.add_path(path), !cyclic) << round;
    ++(cyclic ? refused : accepted);
    if (cyclic) continue;
    held = std::move(with);
    paths.push_back(std::move(path));
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(accepted, 100u);
}

TEST(AcyclicTurns, KeepATurnUntilTheLastPathIsRemoved) {
  const Fabric fabric = fabric_of("line:n=4,hosts=1");
  const Turns turns(fabric);
  AcyclicTurns graph(turns);
  std::vector<std::uint32_t> line{0};
  const auto next = neighbors(fabric);
  for (std::uint32_t s = 0; s < 4; ++s)
    if (next[s].size() == 1) line = {s, next[s][0]};
  while (line.size() < 4)
    for (const std::uint32_t s : next[line.back()])
      if (s != line[line.size() - 2]) {
        line.push_back(s);
        break;
      }
  const VertexPath whole = path_over(fabric, line);
  const VertexPath part(whole.begin(), whole.begin() + 2);
  ASSERT_TRUE(graph.add_path(whole));
  ASSERT_TRUE(graph.add_path(part));
  graph.remove_path(whole);
  EXPECT_TRUE(graph.has(whole[0], whole[1]));
  EXPECT_FALSE(graph.has(whole[1], whole[2]));
  graph.remove_path(part);
  EXPECT_FALSE(graph.has(whole[0], whole[1]));
}

TEST(AcyclicTurns, StateWhetherATurnEndsAtAChannel) {
  const Fabric fabric = fabric_of("ring:n=4,hosts=1");
  const Turns turns(fabric);
  AcyclicTurns graph(turns);
  const auto next = neighbors(fabric);
  const VertexPath path = path_over(fabric, {next[0][0], 0, next[0][1]});
  EXPECT_FALSE(graph.has_any_to(path[1]));
  ASSERT_TRUE(graph.add(path[0], path[1]));
  EXPECT_TRUE(graph.has_any_to(path[1]));
  EXPECT_FALSE(graph.has_any_to(path[0]));
  graph.remove(path[0], path[1]);
  EXPECT_FALSE(graph.has_any_to(path[1]));
}

TEST(AcyclicTurns, AcceptTurnsThatAgreeWithTheOrderWithoutSearches) {
  const Fabric fabric = fabric_of("full:n=5,hosts=1");
  const Turns turns(fabric);
  AcyclicTurns graph(turns, 0);
  for (std::uint32_t in = 0; in < turns.channel_count(); ++in)
    for (std::uint32_t output = 0; output < turns.outs(in); ++output) {
      const std::uint32_t out = turns.first_out(in) + output;
      EXPECT_EQ(graph.add(in, out), graph.place(in) < graph.place(out));
    }
  EXPECT_EQ(graph.searches(), 0u);
}

// Random paths are added and removed; a search over all turns computes the expected result.
TEST(AcyclicTurns, AgreeWithASearchOfAllTurnsForRandomPaths) {
  for (const char* spec : {"torus:3x4", "random:n=8,degree=4,seed=2", "fattree2:k=4"}) {
    const Fabric fabric = fabric_of(spec);
    const Turns turns(fabric);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Rng rng(seed);
      AcyclicTurns graph(turns);
      std::multiset<std::pair<std::uint32_t, std::uint32_t>> held;
      std::vector<VertexPath> paths;
      for (int step = 0; step < 300; ++step) {
        if (!paths.empty() && rng.chance(0.3)) {
          std::swap(paths[rng.below(paths.size())], paths.back());
          graph.remove_path(paths.back());
          for (std::size_t i = 0; i + 1 < paths.back().size(); ++i)
            held.erase(held.find({paths.back()[i], paths.back()[i + 1]}));
          paths.pop_back();
          continue;
        }
        VertexPath path{static_cast<std::uint32_t>(rng.below(turns.channel_count()))};
        for (std::uint64_t more = rng.below(4); more > 0; --more)
          path.push_back(turns.first_out(path.back()) +
                         static_cast<std::uint32_t>(rng.below(turns.outs(path.back()))));
        auto wanted = held;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) wanted.insert({path[i], path[i + 1]});
        const bool fits = !has_cycle(wanted);
        ASSERT_EQ(graph.add_path(path), fits) << spec << " seed " << seed << " step " << step;
        if (!fits) continue;
        held = std::move(wanted);
        paths.push_back(path);
      }
      for (std::uint32_t in = 0; in < turns.channel_count(); ++in)
        for (std::uint32_t output = 0; output < turns.outs(in); ++output) {
          const std::uint32_t out = turns.first_out(in) + output;
          ASSERT_EQ(graph.has(in, out), held.contains({in, out}));
          if (graph.has(in, out)) {
            ASSERT_LT(graph.place(in), graph.place(out));
          }
        }
    }
  }
}

TEST(TurnSet, FindsTheCycleOfARingAndNoneOnALine) {
  for (const auto& [spec, cyclic] :
       {std::pair("ring:n=5,hosts=1", true), std::pair("line:n=5,hosts=1", false)}) {
    const Fabric fabric = fabric_of(spec);
    const Turns turns(fabric);
    TurnSet set(turns);
    for (std::uint32_t in = 0; in < turns.channel_count(); ++in)
      for (std::uint32_t output = 0; output < turns.outs(in); ++output)
        if (const std::uint32_t out = turns.first_out(in) + output; out != turns.reverse(in))
          set.add(in, out);
    EXPECT_EQ(set.acyclic(), !cyclic) << spec;
  }
}

}  // namespace
}  // namespace weft
