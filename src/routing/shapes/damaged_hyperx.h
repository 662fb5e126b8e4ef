// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Coordinates of each switch in a HyperX or hypercube without some cables or switches. Cables of a
// triangle are in one dimension, and opposite cables of a square too (Feder's relations, mesh.h).
// Each cable is in many triangles and squares, so that some of these remain if cables are missing.
#pragma once

#include <optional>

#include "routing/shapes/hyperx.h"
#include "routing/shapes/trunks.h"

namespace weft {

/// Empty if the switches are not part of a product of two or more full graphs; if more than a fifth
/// of its cables or a quarter of its switches are missing; or if a cable is in no triangle and no
/// square with others. Cost: O(switches * degree^2). Also empty if that would be too much.
std::optional<Hyperx> find_damaged_hyperx(const Trunks& trunks);

}  // namespace weft
