// Ways to I/O nodes that use switches the wrong way around: down where up*/down* would have to go
// up.
#pragma once

#include <cstdint>

#include "routes/lfts.h"
#include "routing/ftree/hops.h"
#include "routing/ftree/order.h"
#include "routing/ftree/tree.h"
#include "routing/options.h"

namespace weft::ftree {

/// Gives the switches that have no path to an I/O node (options.io_nodes), or to a CA that some
/// switch with I/O nodes has no path to, in the block of columns from `first` on, one with as few
/// reverse hops as possible, at most options.max_reverse_hops. (OpenSM gives ways to I/O nodes
/// only, so that they cannot answer where they need reverse hops themselves.) Paths that exist stay
/// as they are. There are no forwarding loops, but there may be credit loops: opensm(8) says so of
/// -H, too.
void add_reverse_ways(const Fabric& fabric, const Tree& tree, const Destinations& destinations,
                      std::uint32_t first, std::uint32_t count, const Hops& hops,
                      const RoutingOptions& options, Lfts& lfts);

}  // namespace weft::ftree
