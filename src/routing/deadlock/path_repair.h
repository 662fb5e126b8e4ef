// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes the paths of given tables so that each path agrees with an order of the switches
// (switch_orders.h).
#pragma once

#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/deadlock/ordered_paths.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/shapes/trunks.h"
#include "routing/tables/destinations.h"

namespace weft::ordered {

/// Finds, for each path, the first order that agrees with the path; the number of the order is the
/// lane. Reroutes paths that are missing, not minimal or agree with no order: over a shortest path
/// that agrees with an order if such a path exists, or else over any shortest path, with lane
/// kUnfitted.
void repair_paths(const Fabric& fabric, const Trunks& trunks, const SwitchOrders& orders,
                  std::span<const Destination> destinations, unsigned threads, Lfts& lfts,
                  Paths& paths);

}  // namespace weft::ordered
