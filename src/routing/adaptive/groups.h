// From the tables of any engine to groups of ports that switches may choose among. A port is taken
// only if the neighbour behind it is a hop nearer by the very tables, so whatever switches choose
// every packet arrives without meeting a switch twice.
// Cost: O(channels * LIDs) byte operations; memory: two bytes a switch and LID.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// LAG: where several cables lead to the neighbour that the table's port leads to, these. The
/// channel dependency graph gains what packets on one of them would do on another: the routes of an
/// engine that tells parallel cables apart may then wait in a circle, which the judge sees.
void add_parallel_groups(const Fabric& fabric, const RoutingOptions& options, Routes& routes);

/// TREE: all ports by which up*/down* paths lead on in as many hops as the table's own. `rank` and
/// `ids` are those of goes_up() in shared/ranks.h; the tables' own paths must be up*/down* by them,
/// and where one is not (a way that connect_roots or max_reverse_hops added) the entries on it stay
/// static. A switch whose table sends down chooses among ways down only, so no packet that came
/// down is sent up again, and no credit loop can close.
void add_tree_groups(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     std::span<const std::uint32_t> ids, const RoutingOptions& options,
                     Routes& routes);

/// The same where what goes up is known by channel (1) and not by ranks: DF_PLUS, for a dragonfly+,
/// where packets go up to a spine, over to another group, and down. Both give the groups of LAG
/// where the options ask for these.
void add_upward_groups(const Fabric& fabric, std::span<const std::uint8_t> up,
                       const RoutingOptions& options, Routes& routes);

}  // namespace weft
