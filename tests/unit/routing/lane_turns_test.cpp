// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The turns of lanes with their orders, and the senders of switches in a tree, compared with plain
// models.

#include "routing/reweight/lane_turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "routing/reweight/forest.h"
#include "routing/reweight/senders.h"
#include "support/fabric_of.h"

namespace weft::reweight {
namespace {

using TurnPair = std::pair<std::uint32_t, std::uint32_t>;  // consecutive arcs

/// A random fabric with random trees of shortest paths.
class RandomTrees {
 public:
  explicit RandomTrees(Rng& rng)
      : fabric(fabric_of("random:n=" + std::to_string(7 + rng.below(6)) +
                         ",degree=4,hosts=1,seed=" + std::to_string(rng.below(1000)))),
        trunks(fabric),
        arcs(trunks_as_arcs(fabric, trunks)),
        candidates(shortest_over(trunks)) {}

  /// Fills `dag` with the candidates toward a switch, and selects one for each switch.
  std::vector<std::uint8_t> draw(std::uint32_t to, Rng& rng, HopDag& dag) const {
    candidates(SwitchId(to), dag);
    std::vector<std::uint8_t> steps(fabric.switch_count(), kNoStep);
    for (const HopDag::Group& group : dag.groups())
      for (std::uint32_t m = group.begin; m < group.end; ++m) {
        const auto channels = dag.channels(group, dag.members()[m]);
        const std::uint32_t sw = dag.members()[m].sw;
        steps[sw] =
            static_cast<std::uint8_t>(channels[rng.below(channels.size())] - arcs.first[sw]);
      }
    return steps;
  }

  Fabric fabric;
  Trunks trunks;
  Arcs arcs;
  Candidates candidates;
};

/// Removes arcs without a predecessor, until no more can be removed; a cycle would remain.
bool has_cycle(const std::set<TurnPair>& turns) {
  std::set<TurnPair> rest = turns;
  for (std::size_t before = 0; before != rest.size();) {
    before = rest.size();
    std::set<std::uint32_t> requested;
    for (const auto& [in, out] : rest) requested.insert(out);
    std::erase_if(rest, [&](const TurnPair& turn) { return !requested.contains(turn.first); });
  }
  return !rest.empty();
}

TEST(LaneTurns, AreOrderedUnlessTheyHaveACycle) {
  Rng rng(11);
  unsigned cycles = 0;
  for (unsigned i = 0; i < 60; ++i) {
    const RandomTrees trees(rng);
    const ArcTurns turns(trees.arcs);
    LaneTurns lanes(trees.arcs, turns);
    std::vector<std::set<TurnPair>> plain(2);
    HopDag dag;
    for (std::uint32_t to = 0; to < trees.fabric.switch_count(); ++to) {
      const auto steps = trees.draw(to, rng, dag);
      std::vector<PairLanes::Mask> lane(trees.fabric.switch_count(), 0);
      for (std::uint32_t s = 0; s < lane.size(); ++s) {
        // Most paths use the first lane, so that it often has a cycle.
        const std::uint64_t number = rng.below(8);
        if (s == to || number == 7) continue;
        lane[s] = number < 5 ? 1 : 2;
        for (std::uint32_t at = s, in = kNoStep; at != to;) {
          const std::uint32_t out = arc_of(trees.arcs, steps, at);
          if (at != s) plain[lane[s] - 1].emplace(in, out);
          in = out;
          at = trees.arcs.head[out];
        }
      }
      lanes.add(dag, steps, lane);
    }
    for (unsigned lane = 0; lane < 2; ++lane)
      for (const std::uint32_t seed : {1u, 2u}) {
        const auto places = lanes.places(lane, seed);
        ASSERT_EQ(places.empty(), has_cycle(plain[lane])) << i;
        if (places.empty()) continue;
        for (const auto& [in, out] : plain[lane]) EXPECT_LT(places[in], places[out]);
        auto sorted = places;
        std::ranges::sort(sorted);
        for (std::uint32_t p = 0; p < sorted.size(); ++p) EXPECT_EQ(sorted[p], p);
      }
    cycles += has_cycle(plain[0]) ? 1 : 0;
    if (!has_cycle(plain[1])) {
      EXPECT_NE(lanes.places(1, 1), lanes.places(1, 2)) << i;
    }
  }
  EXPECT_GT(cycles, 10u);
  EXPECT_LT(cycles, 60u);
}

TEST(Senders, EqualThePlainModelWhileTheyMove) {
  Rng rng(12);
  const RandomTrees trees(rng);
  HopDag dag;
  auto steps = trees.draw(0, rng, dag);
  const auto next = [&](std::uint32_t s) { return trees.arcs.head[arc_of(trees.arcs, steps, s)]; };
  Senders senders;
  senders.read(trees.arcs.switches(), dag, next);
  for (unsigned i = 0; i < 50; ++i) {
    for (std::uint32_t s = 0; s < trees.arcs.switches(); ++s) {
      std::set<std::uint32_t> plain;
      for (std::uint32_t other = 1; other < trees.arcs.switches(); ++other)
        if (next(other) == s) plain.insert(other);
      std::set<std::uint32_t> found;
      senders.each(s, [&](std::uint32_t one) { return found.insert(one).second; });
      EXPECT_EQ(found, plain);
    }
    const auto sw = static_cast<std::uint32_t>(1 + rng.below(trees.arcs.switches() - 1));
    const std::uint32_t from = next(sw);
    const std::uint32_t degree = trees.arcs.first[sw + 1] - trees.arcs.first[sw];
    steps[sw] = static_cast<std::uint8_t>(rng.below(degree));
    senders.move(sw, from, next(sw));
  }
}

}  // namespace
}  // namespace weft::reweight
