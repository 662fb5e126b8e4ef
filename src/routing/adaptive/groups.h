// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive-routing groups for the tables of any engine. A port is in a group only if its neighbor
// is one hop nearer to the LID by the same tables, so every packet arrives without passing through
// a switch twice, for any port that each switch selects.
// Cost and memory of TREE groups: see tree_masks.h.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

/// LAG: a group has all cables to the neighbor behind the table's port, if there are several. Adds
/// channel dependencies: routes of an engine that treats parallel cables differently may then have
/// cycles, which the verifier finds.
void add_parallel_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes);

/// TREE: all ports that begin an up*/down* path with as many hops as the table's own. `rank` and
/// `ids` are those of goes_up() in shapes/ranks.h; the tables' own paths must be up*/down* by these
/// ranks, and the entries of a path that is not (added by connect_roots or max_reverse_hops) stay
/// static. A switch with a table entry that leads down selects among down ports only, so no packet
/// goes up after it went down, and no credit loop forms.
void add_tree_groups(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     std::span<const std::uint32_t> ids, const GroupOptions& options,
                     Routes& routes);

/// As add_tree_groups(), with up channels given as 1 by channel instead of by ranks: DF_PLUS, for a
/// dragonfly+, where packets go up to a spine, across to another group, and down. Both functions
/// make LAG groups if the options request LAG.
void add_upward_groups(const Fabric& fabric, std::span<const std::uint8_t> up,
                       const GroupOptions& options, Routes& routes);

}  // namespace weft
