// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Coordinates of each switch in a HyperX or hypercube that lacks some cables or switches. Cables of
// a triangle are in one dimension, and so are opposite ones of a square (Feder's relations,
// mesh.h): of these each cable has many, so that some remain.
#pragma once

#include <optional>

#include "routing/shapes/hyperx.h"
#include "routing/shapes/trunks.h"

namespace weft {

/// Empty where the switches are not part of a product of two or more full graphs, or lack a fifth
/// of its cables or a quarter of its switches, or a cable is in no triangle or square with others.
/// Cost: O(switches * degree^2), and none on more than some thousand switches of high degree.
std::optional<Hyperx> find_damaged_hyperx(const Trunks& trunks);

}  // namespace weft
