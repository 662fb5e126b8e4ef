// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/passes.h"

#include <optional>
#include <utility>
#include <vector>

#include "routing/reweight/forest_bound.h"
#include "routing/reweight/parameter.h"
#include "routing/reweight/tree_passes.h"

namespace weft::reweight {
namespace {

// The passes with one value of Forest::least_gains end after kPatience consecutive passes in which
// the smallest largest load did not decrease by more than the part 1 / kLeastGain.
constexpr unsigned kPatience = 2;
constexpr std::uint64_t kLeastGain = 256;

// Parts of the bound of the largest load, in percent. Passes of kReweightAuto do not begin below
// kNearAtFirst, because they would take more time than their small gain justifies, and end below
// kNear. On trees the first half of the passes moves only paths over crowded links. If the load is
// then above kNearAtFirst (with kReweightAuto above kFar), other passes move all paths: above kFar
// from the first trees on, because the passes before them did not help.
constexpr unsigned kNearAtFirst = 105;
constexpr unsigned kNear = 102;
constexpr unsigned kFar = 125;

}  // namespace

Outcome run_passes(Forest& forest, const CandidateStore& candidates, unsigned reweight,
                   unsigned passes, unsigned threads) {
  Outcome outcome;
  if (passes == 0 || forest.groups.empty()) return outcome;
  auto load = loads(forest, candidates, false, threads);
  if (!load || load->empty()) return outcome;
  outcome.before = outcome.after = measure(*load);
  const bool automatic = reweight == kReweightAuto;
  ForestBound bound(forest, candidates, threads);
  if (is_even(*load) || bound.is_near(*load, automatic ? kNearAtFirst : 100)) return outcome;
  const bool is_tree = crowded_load(forest.arcs, bound.value(), *load) > 0;
  const std::vector<std::uint8_t> unchanged = forest.steps;
  std::vector<std::uint8_t> best = unchanged;
  std::optional<TreePasses> trees;
  trees.emplace(forest, candidates, *load, threads);
  const auto is_near = [&](unsigned percent) {
    return bound.is_near(trees->costs().load(), percent);
  };
  const auto is_done = [&] {
    return is_even(trees->costs().load()) || (automatic && is_near(kNear));
  };
  const auto run_until = [&](unsigned passes_max, bool only_crowded) {
    for (const unsigned least_gain : forest.least_gains) {
      unsigned idle = 0;
      while (outcome.passes < passes_max && idle < kPatience && !is_done()) {
        ++outcome.passes;
        trees->costs().set_crowded(
            only_crowded ? crowded_load(forest.arcs, bound.value(), trees->costs().load()) : 0);
        if (!trees->run(least_gain)) break;
        const Measure now = measure(trees->costs().load());
        ++idle;
        if (now < outcome.after) {
          if (outcome.after.largest - now.largest > now.largest / kLeastGain) idle = 0;
          outcome.after = now;
          best = forest.steps;
        }
      }
    }
  };
  if (is_tree) run_until((passes + 1) / 2, true);
  if (!is_tree || !is_near(automatic ? kFar : kNearAtFirst)) {
    if (is_tree && !is_near(kFar)) {
      forest.steps = unchanged;
      trees.emplace(forest, candidates, std::move(*load), threads);
    }
    run_until(passes, false);
  }
  forest.steps = std::move(best);
  return outcome;
}

}  // namespace weft::reweight
