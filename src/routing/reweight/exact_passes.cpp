// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/exact_passes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "routing/reweight/lane_graphs.h"

namespace weft::reweight {
namespace {

// The end comes after so many passes without a smaller Measure.
constexpr unsigned kIdlePasses = 2;

/// False if nothing moved.
bool run_one(const CandidateStore& store, Forest& forest, std::vector<std::uint64_t>& load,
             TreeMoves& moves, LaneGraphs& lanes) {
  bool any = false;
  HopDag scratch;
  for (std::size_t g = 0; g < forest.groups.size(); ++g) {
    const Potential potential(std::max<std::uint64_t>(1, std::ranges::max(load)));
    const HopDag& dag = store.of(g, scratch);
    lanes.begin(g, dag);
    const bool moved = moves.improve(
        dag, potential, forest.weights[g], forest.least_gains.back(), forest.tree(g), load,
        [&](std::uint32_t sw, std::uint32_t arc) { return lanes.move(sw, arc); },
        [&](std::uint32_t sw) { lanes.moved(sw); });
    any = any || moved;
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
  TreeMoves moves(forest.arcs);
  std::vector<std::uint8_t> best = forest.steps;
  std::vector<std::uint8_t> best_layers = layers.of_pair;
  for (unsigned idle = 0; outcome.passes < passes && idle < kIdlePasses && !is_even(*load);
       ++outcome.passes) {
    if (!run_one(store, forest, *load, moves, lanes)) break;
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
