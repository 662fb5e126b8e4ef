// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Iterated reweighting: rip-up and reroute of one tree after the other, where a channel costs
// exponentially more the more it is loaded, over several passes; the best state is kept.
// Sources: multiplicative weights, Garg and Koenemann, "Faster and simpler algorithms for
// multicommodity flow and other fractional packing problems", SIAM J. Computing 37(2), 2007; the
// trees to start from, Hoefler et al., HOTI 2009.
//
// Every step moves a switch of one tree, with all that sends over it, to a cheaper candidate: so
// paths stay among the candidates, and few entries move where the load is even already.
#pragma once

#include <cstdint>

#include "routing/reweight/forest.h"
#include "routing/reweight/pair_lanes.h"

namespace weft::reweight {

struct Outcome {
  unsigned passes = 0;  // done
  Measure before;
  Measure after;  // of the trees that were kept
};

/// Changes the trees of the forest so that the largest load falls; never to a worse Measure. Equal
/// bytes for any number of threads. With lanes, every pair of switches keeps a lane that takes its
/// paths in both directions, and `lanes` follows the trees.
Outcome run_passes(Forest& forest, const Candidates& candidates, unsigned passes, unsigned threads,
                   PairLanes* lanes = nullptr);

}  // namespace weft::reweight
