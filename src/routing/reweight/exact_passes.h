// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Passes over the trees of layers with exact dependencies (lane_graphs.h), one tree
// after the other.
#pragma once

#include "routing/deadlock/pair_layers.h"
#include "routing/reweight/passes.h"
#include "routing/shapes/trunks.h"

namespace weft::reweight {

/// As run_passes(), on the trees and on `layers.of_pair`, of which only the lower half is updated.
/// `passes` of the result is 0 if some layer has a cycle.
Outcome run_exact_passes(const Turns& turns, const Trunks& trunks, const Candidates& candidates,
                         unsigned passes, unsigned threads, Forest& forest, PairLayers& layers);

}  // namespace weft::reweight
