// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths of given tables that agree with an order of the switches each (switch_orders.h).
#pragma once

#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/deadlock/ordered_paths.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/shapes/trunks.h"
#include "routing/tables/destinations.h"

namespace weft::ordered {

/// Finds for each path the first order that it agrees with, which is its lane, and reroutes those
/// that agree with none: over a path that agrees with some if there is one.
void repair_paths(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
                  std::span<const Destination> destinations, unsigned threads, Lfts& lfts,
                  Paths& paths);

}  // namespace weft::ordered
