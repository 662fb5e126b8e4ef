// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/exact_passes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "routing/reweight/lane_graphs.h"

namespace weft::reweight {
namespace {

// Stops after this number of passes without a smaller largest load.
constexpr unsigned kIdlePasses = 2;
// Moves must reduce the cost by the part 1 / kExactLeastGain, unless Forest::least_gains has
// another value: moves with smaller gains make regular paths irregular, which reduces the effective
// bisection bandwidth of tori.
constexpr unsigned kExactLeastGain = 16;

TurnLoads turn_loads_of(const Forest& forest, const CandidateStore& store) {
  TurnLoads turns(forest.arcs);
  HopDag scratch;
  for (std::size_t g = 0; g < forest.groups.size(); ++g)
    turns.add(store.of(g, scratch), forest.tree(g), forest.weights[g]);
  return turns;
}

/// Runs one pass over all trees. Returns false if no tree changed.
bool run_one(const CandidateStore& store, Forest& forest, std::vector<std::uint64_t>& load,
             TreeMoves& moves, TurnLoads& turn_loads, LaneGraphs& lanes) {
  const unsigned least_gain =
      forest.least_gains.back() == 0 ? kExactLeastGain : forest.least_gains.back();
  bool any = false;
  HopDag scratch;
  std::vector<std::uint8_t> before;
  for (std::size_t g = 0; g < forest.groups.size(); ++g) {
    const Potential potential(std::max<std::uint64_t>(1, std::ranges::max(load)));
    const HopDag& dag = store.of(g, scratch);
    lanes.begin(g, dag);
    before.assign(forest.tree(g).begin(), forest.tree(g).end());
    const bool moved = moves.improve(
        dag, potential, forest.weights[g], least_gain, forest.tree(g), load,
        [&](std::uint32_t sw, std::uint32_t arc) { return lanes.move(sw, arc); },
        [&](std::uint32_t sw) { lanes.moved(sw); });
    if (!moved) continue;
    any = true;
    turn_loads.subtract(dag, before, forest.weights[g]);
    turn_loads.add(dag, forest.tree(g), forest.weights[g]);
  }
  return any;
}

}  // namespace

Outcome run_exact_passes(const Turns& turns, const Trunks& trunks, const Candidates& candidates,
                         unsigned passes, unsigned threads, Forest& forest, PairLayers& layers) {
  Outcome outcome;
  const CandidateStore store(forest, candidates, threads);
  auto load = loads(forest, store, true, threads);
  if (!load || load->empty()) return outcome;
  outcome.before = outcome.after = measure(*load);
  if (passes == 0 || is_even(*load)) return outcome;
  LaneGraphs lanes(turns, trunks, forest, layers);
  if (!lanes.fill()) return outcome;
  TurnLoads turn_loads = turn_loads_of(forest, store);
  TreeMoves moves(forest.arcs, turn_loads);
  std::vector<std::uint8_t> best = forest.steps;
  std::vector<std::uint8_t> best_layers = layers.of_pair;
  for (unsigned idle = 0; outcome.passes < passes && idle < kIdlePasses && !is_even(*load);
       ++outcome.passes) {
    if (!run_one(store, forest, *load, moves, turn_loads, lanes)) break;
    ++idle;
    if (const Measure now = measure(*load); now < outcome.after) {
      if (now.largest < outcome.after.largest) idle = 0;
      outcome.after = now;
      best = forest.steps;
      best_layers = layers.of_pair;
    }
  }
  forest.steps = std::move(best);
  layers.of_pair = std::move(best_layers);
  return outcome;
}

}  // namespace weft::reweight
