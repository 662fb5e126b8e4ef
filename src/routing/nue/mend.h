// Mends an order of arcs that allows nearly all shortest paths where some switches have hardly an
// endport, such as the spines of a tree that hold aggregation nodes. Finds the turns that the rest
// of the pairs lack, and moves single arcs until they are allowed, as long as more pairs gain than
// lose and loads stay as they are. Who gains is counted exactly, for all pairs: turns that hosts
// have plenty of are given up for those that an aggregation node has no other of.
#pragma once

#include <cstdint>
#include <span>

#include "routing/nue/arcs.h"
#include "routing/nue/order.h"
#include "routing/nue/trials.h"

namespace weft::nue {

/// An order that lets at least as many pairs of a source and a destination of `trials` have a
/// shortest path, and lets all that is connected to `destinations` reach them. Equal for any number
/// of threads.
Ranking mend(const Arcs& arcs, const Trials& trials, std::span<const std::uint32_t> destinations,
             Ranking ranking);

}  // namespace weft::nue
