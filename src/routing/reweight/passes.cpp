// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/passes.h"

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
// kNear.
constexpr unsigned kNearAtFirst = 105;
constexpr unsigned kNear = 102;

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
  TreePasses trees(forest, candidates, std::move(*load), threads);
  const auto is_done = [&] {
    return is_even(trees.costs().load()) ||
           (automatic && bound.is_near(trees.costs().load(), kNear));
  };
  std::vector<std::uint8_t> best = forest.steps;
  for (const unsigned least_gain : forest.least_gains) {
    unsigned idle = 0;
    while (outcome.passes < passes && idle < kPatience && !is_done()) {
      ++outcome.passes;
      if (automatic)
        trees.costs().set_crowded(crowded_load(forest.arcs, bound.value(), trees.costs().load()));
      if (!trees.run(least_gain)) break;
      const Measure now = measure(trees.costs().load());
      ++idle;
      if (now < outcome.after) {
        if (outcome.after.largest - now.largest > now.largest / kLeastGain) idle = 0;
        outcome.after = now;
        best = forest.steps;
      }
    }
  }
  forest.steps = std::move(best);
  return outcome;
}

}  // namespace weft::reweight
