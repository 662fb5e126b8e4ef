// Cartesian meshes in dimension order, with the layers of all pairs in closed form.
//
// Of each ring a layer has one switch that no path on it goes straight through; then nothing can
// wait in a circle, since paths never come back to a dimension. A path and the way back go through
// the same places of each ring, so that what one layer may have of one it may have of both. Cutting
// each ring at one of two opposite switches is enough, as no path goes through both: 2 layers for
// each dimension of rings. Often fewer do, found by covering all paths greedily.
#pragma once

#include <optional>

#include "routing/shared/grid.h"
#include "routing/shared/layered_pairs.h"

namespace weft {

/// Nothing where that takes more than `layers_max`.
std::optional<LayeredPairs> layer_grid(const Fabric& fabric, const Grid& grid, unsigned layers_max,
                                       unsigned threads);

}  // namespace weft
