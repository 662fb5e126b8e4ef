// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cartesian meshes in dimension order, with the layers of all pairs in closed form.
//
// Each layer has a cut in each ring: a position that no path of the layer passes through along the
// ring. Then the layer has no dependency cycle, since paths never return to a dimension. A path and
// its reverse pass through the same positions of each ring, so both fit on the same layers. Two
// opposite cuts of each ring are enough, as no path passes through both. This results in at most
// 2^n layers for n dimensions of rings, and is used up to n = 3. A greedy cover of all paths often
// finds fewer layers.
#pragma once

#include <optional>

#include "routing/deadlock/layered_pairs.h"
#include "routing/shapes/grid.h"

namespace weft {

/// Returns nullopt if both methods need more than `layers_max` layers.
std::optional<LayeredPairs> layer_grid(const Fabric& fabric, const Grid& grid, unsigned layers_max,
                                       unsigned threads);

}  // namespace weft
