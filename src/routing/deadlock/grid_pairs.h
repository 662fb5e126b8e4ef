// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cartesian meshes in dimension order, with the layers of all pairs in closed form.
//
// Each layer has a cut in each ring: a switch that no path of the layer passes through along the
// ring. Then the layer has no dependency cycle, since paths never return to a dimension. A path and
// its reverse pass through the same places of each ring, so a layer that can take one can take
// both. Two opposite cuts of each ring are enough, as no path passes through both: 2^n layers or
// fewer for n dimensions of rings. A greedy cover of all paths often finds fewer.
#pragma once

#include <optional>

#include "routing/deadlock/layered_pairs.h"
#include "routing/shapes/grid.h"

namespace weft {

/// Empty if more than `layers_max` are necessary.
std::optional<LayeredPairs> layer_grid(const Fabric& fabric, const Grid& grid, unsigned layers_max,
                                       unsigned threads);

}  // namespace weft
