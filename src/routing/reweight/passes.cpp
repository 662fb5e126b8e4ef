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
// kNear. If the load is above kNearAtFirst (with kReweightAuto above kFar) after passes that move
// only paths over crowded links, other passes move all paths: above kFar from the first trees on,
// because the passes before them did not help.
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
  const std::vector<std::uint8_t> unchanged = forest.steps;
  std::vector<std::uint8_t> best = unchanged;
  std::optional<TreePasses> trees;
  trees.emplace(forest, candidates, *load, threads);
  const auto is_near = [&](unsigned percent) {
    return bound.is_near(trees->costs().load(), percent);
  };
  // Returns whether the passes did not move all paths.
  const auto run_all = [&](bool only_crowded) {
    const unsigned passes_max = only_crowded ? (passes + 1) / 2 : passes;
    bool is_limited = false;
    for (const unsigned least_gain : forest.least_gains) {
      unsigned idle = 0;
      while (outcome.passes < passes_max && idle < kPatience && !is_even(trees->costs().load()) &&
             !(automatic && is_near(kNear))) {
        ++outcome.passes;
        const std::uint64_t crowded =
            only_crowded ? crowded_load(forest.arcs, bound.value(), trees->costs().load()) : 0;
        is_limited = is_limited || crowded > 0;
        trees->costs().set_crowded(crowded);
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
    return is_limited;
  };
  if (run_all(true) && !is_near(automatic ? kFar : kNearAtFirst)) {
    if (!is_near(kFar)) {
      forest.steps = unchanged;
      trees.emplace(forest, candidates, std::move(*load), threads);
    }
    run_all(false);
  }
  forest.steps = std::move(best);
  return outcome;
}

}  // namespace weft::reweight
