// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reweighting of paths on layers: one tree toward each switch, and the paths between two switches
// on one layer in both directions.
#pragma once

#include "routing/deadlock/pair_layers.h"
#include "routing/reweight/passes.h"

namespace weft::reweight {

/// Changes paths, and then distributes the pairs over the layers on which their paths close no
/// cycle. The number of layers does not change. Each layer gets an order of the trunks in which its
/// dependencies ascend, and moved paths ascend too; on small fabrics, exact passes (exact_passes.h)
/// follow. Does nothing if the LIDs behind one switch use different neighbors as next hops, if a
/// layer has a cycle, if the largest load is near the mean or near its lower bound, or if the
/// result would not be better.
Outcome reweigh_layers(const Fabric& fabric, unsigned reweight, unsigned threads,
                       PairLayers& layers);

}  // namespace weft::reweight
