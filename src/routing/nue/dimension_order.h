// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of arcs on meshes, hypercubes and HyperX that dimension-order routing implies. The
// search finds no better order.
#pragma once

#include <optional>

#include "fabric/fabric.h"
#include "routing/nue/arcs.h"
#include "routing/nue/order.h"

namespace weft::nue {

/// Orders the arcs by dimension, and along each line in both directions, so that every shortest
/// path in the order of dimensions ascends. On a hypercube or HyperX without some cables or
/// switches, the turns from a lower to a higher dimension ascend, and further turns that pairs of
/// switches need for a shortest path. Returns nullopt if the fabric is not a mesh, hypercube or
/// HyperX; if the fabric has rings, on which no order allows all shortest paths; if `arcs` omits a
/// cable; or if the order of a damaged HyperX does not connect all switches. Source: Dally and
/// Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE ToC
/// C-36, 1987.
std::optional<Order> dimension_order(const Fabric& fabric, const Arcs& arcs);

}  // namespace weft::nue
