// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cartesian meshes in dimension order, with the layers of all pairs in closed form.
//
// A layer excludes paths straight through one switch of each ring; then it has no dependency cycle,
// since paths never return to a dimension. A path and its reverse pass through the same places of
// each ring, so a layer that can take one can take both. Cutting each ring at one of two opposite
// switches is enough, as no path passes through both: 2 layers for each dimension of rings. Often
// fewer suffice, found by covering all paths greedily.
#pragma once

#include <optional>

#include "routing/deadlock/layered_pairs.h"
#include "routing/shapes/grid.h"

namespace weft {

/// Empty where more than `layers_max` are necessary.
std::optional<LayeredPairs> layer_grid(const Fabric& fabric, const Grid& grid, unsigned layers_max,
                                       unsigned threads);

}  // namespace weft
