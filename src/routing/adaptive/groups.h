// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive-routing groups for the tables of any engine. A port is in a group only if its neighbor
// is one hop nearer to the LID by the same tables. So every packet arrives without passing through
// a switch twice, whichever ports the switches select. Cost of TREE groups: see tree_masks.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

/// Adds LAG groups: if there are several cables to the next hop of an entry, their ports are a
/// group. Cables with a greater weight than the cable in the table are excluded. LAG groups add
/// channel dependencies. If an engine uses different lanes for parallel cables, its routes may then
/// have cycles, which the verifier reports.
void add_parallel_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes);

/// Adds TREE groups: all ports that begin an up*/down* path with as many hops as the path in the
/// tables. `rank` and `ids` are those of goes_up() in shapes/ranks.h. If the port in the table is a
/// down port, the group has only down ports, otherwise only up ports. So an up*/down* path in the
/// tables remains up*/down* with every selection, and no credit loop is possible. Paths in the
/// tables with an up hop after a down hop (added by connect_remaining_switches(), connect_roots or
/// max_reverse_hops) have static entries for the down hops before an up hop; if the turns of the
/// further hops could close a cycle (turns_up.h), for these hops, too.
void add_tree_groups(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     std::span<const std::uint32_t> ids, const GroupOptions& options,
                     Routes& routes);

/// Like add_tree_groups(), but `up` is 1 for each up channel, by ChannelId, and replaces the ranks.
/// Used for DF_PLUS on a dragonfly+: a path has up hops to a spine, a hop to another group, and
/// down hops. Both functions add LAG groups if the options request LAG.
void add_upward_groups(const Fabric& fabric, std::span<const std::uint8_t> up,
                       const GroupOptions& options, Routes& routes);

/// `up` of add_upward_groups() for a dragonfly+: only channels from a spine to a leaf are down.
std::vector<std::uint8_t> upward_channels(const Fabric& fabric);

}  // namespace weft
