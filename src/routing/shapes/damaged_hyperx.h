// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Coordinates of each switch in a HyperX or hypercube without some cables or switches. Cables of a
// triangle are in one dimension, and opposite cables of a square too (Feder's relations, mesh.h).
// Each cable is in many triangles and squares, so that some triangles and squares remain if cables
// are missing.
#pragma once

#include <optional>

#include "routing/shapes/hyperx.h"
#include "routing/shapes/trunks.h"

namespace weft {

/// Returns nullopt if the switches are not part of a product of two or more complete graphs, if
/// more than a quarter of the switches of this product are missing, if more than a fifth of the
/// cables of this product between present switches are missing, or if a cable is in no triangle and
/// no square of cables. Cost: O(switches * degree^2); nullopt if the number of steps exceeds a
/// limit.
std::optional<Hyperx> find_damaged_hyperx(const Trunks& trunks);

}  // namespace weft
