// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Repairs an order of arcs that allows nearly all shortest paths where some switches have few
// endports, such as the spines of a tree with aggregation nodes. Finds the turns that the remaining
// pairs lack, and moves single arcs until these are allowed, as long as more pairs gain than lose
// and loads stay unchanged. The gain is exact, counted for all pairs: turns of which hosts have
// many are exchanged for the only ones of an aggregation node.
#pragma once

#include <cstdint>
#include <span>

#include "routing/nue/arcs.h"
#include "routing/nue/order.h"
#include "routing/nue/trials.h"

namespace weft::nue {

/// An order that gives at least as many pairs of a source and a destination of `trials` a shortest
/// path, and keeps `destinations` reachable from all connected switches. Equal for any number of
/// threads.
Ranking repair(const Arcs& arcs, const Trials& trials, std::span<const std::uint32_t> destinations,
               Ranking ranking);

}  // namespace weft::nue
