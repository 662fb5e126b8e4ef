// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The private tables of dfp2, by role. Table 0: packets that come from above. Table 1: packets that
// come from below, with paths over an intermediate group. Table 2: packets with SLs of pairs of
// switches that have lanes of their own because cables are missing; its entries are static.
#pragma once

#include <cstdint>
#include <vector>

#include "routes/routes.h"
#include "routing/option_groups.h"
#include "routing/topology.h"

namespace weft {

/// Number of forwarding tables that each switch needs for routes of dfp2.
unsigned dfp2_table_count(const Routes& routes);

/// Adds the private tables of the switches in `capable` (by SwitchId) to routes with minimal AR
/// groups. Returns the number of (switch, LID) entries with paths over an intermediate group. A
/// path uses an intermediate group that is higher than the source group, from a spine without a
/// cable to the destination group. From the intermediate group on, each port that table 0 allows
/// leads to the destination on the lanes of dfp/escalation.h. With several SLs, switches that are
/// not capable lose their AR groups.
std::uint64_t add_dfp2_tables(const Fabric& fabric, const SwitchGroups& groups,
                              const std::vector<bool>& capable, const GroupOptions& options,
                              Routes& routes);

/// Makes the entries of a LID static in all tables of all switches of a group.
void make_static(const SwitchGroups& groups, std::uint32_t group, Lid lid, ArTables& tables);

}  // namespace weft
