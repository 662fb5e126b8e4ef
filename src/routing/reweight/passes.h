// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Iterated reweighting: several passes reroute all trees, a few at a time. The cost of a channel
// grows exponentially with its load. The best state is kept.
// Sources: multiplicative weights, Garg and Koenemann, "Faster and simpler algorithms for
// multicommodity flow and other fractional packing problems", SIAM J. Computing 37(2), 2007; the
// trees to start from, Hoefler et al., HOTI 2009.
//
// Every step changes the next hop of a switch in one tree, and so all paths over the switch, to a
// cheaper candidate. So paths stay among the candidates, and few entries change if the load is
// already even.
#pragma once

#include <cstdint>

#include "routing/reweight/forest.h"

namespace weft::reweight {

struct Outcome {
  unsigned passes = 0;  // completed
  Measure before;
  Measure after;  // of the resulting trees
};

/// Changes the trees of the forest so that the largest load decreases; the Measure never becomes
/// worse. Nothing changes if the largest load is equal to its lower bound, or near it if `reweight`
/// is kReweightAuto. The result is equal for any number of threads.
Outcome run_passes(Forest& forest, const CandidateStore& candidates, unsigned reweight,
                   unsigned passes, unsigned threads);

}  // namespace weft::reweight
