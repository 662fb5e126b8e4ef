// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of arcs on meshes, hypercubes and HyperX that dimension-order routing implies: no
// search finds one as good.
#pragma once

#include <optional>

#include "fabric/fabric.h"
#include "routing/nue/arcs.h"
#include "routing/nue/order.h"

namespace weft::nue {

/// Dimension by dimension, each in both directions along its lines, so that every shortest path
/// that takes the dimensions in turn ascends. On a hypercube or HyperX that lacks some cables or
/// switches, the turns from a lower to a higher dimension ascend, and further ones that pairs of
/// switches lack. Empty where the fabric is none of these and no mesh, or has rings, on which no
/// order allows all shortest paths, or where a cable is left out.
/// Source: Dally and Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection
/// Networks", IEEE ToC C-36, 1987.
std::optional<Order> dimension_order(const Fabric& fabric, const Arcs& arcs);

}  // namespace weft::nue
