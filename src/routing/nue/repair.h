// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Repairs an order of arcs that allows nearly all shortest paths, if some switches have few
// endports, such as the spines of a tree with aggregation nodes. Finds the turns that pairs without
// a shortest path need, and moves single arcs until the order allows these turns. A move is kept if
// more pairs gain a shortest path than lose a shortest path, and loads stay nearly unchanged. The
// numbers of pairs are exact. So a turn is removed where hosts have many alternatives, and a turn
// is added where an aggregation node has no alternative.
#pragma once

#include <cstdint>
#include <span>

#include "routing/nue/arcs.h"
#include "routing/nue/order.h"
#include "routing/nue/trials.h"

namespace weft::nue {

/// An order that gives a shortest path to at least as many pairs of a source and a destination of
/// `trials`, and keeps `destinations` reachable from all connected switches. Returns `ranking` if
/// no switch has far fewer endports than other switches, or if the tables by switch and destination
/// would be too large. The result is equal for any number of threads.
Ranking repair(const Arcs& arcs, const Trials& trials, std::span<const std::uint32_t> destinations,
               Ranking ranking);

}  // namespace weft::nue
