// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths over an intermediate group for all LIDs of a port except the first (dfp_detours; after
// Valiant; the client selects the LID). Each LID has one or two intermediate groups, and a source
// group uses the first of them that needs no lanes beyond the three of escalation.h. Sources
// without an intermediate group, and sources inside it, use the path of the first LID.
#pragma once

#include "routes/lfts.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Intermediate groups that a source group may use.
enum class DetourRule {
  /// Dragonfly: any group that is not lower than both other groups. Dragonfly+, where packets turn
  /// at a leaf of the intermediate group: a group that is higher than the source group.
  kWide,
  kHigherThanBoth,
};
void add_detours(const Fabric& fabric, const SwitchGroups& groups, DetourRule rule, Lfts& lfts);

/// Removes detours, by source group and LID, if cables are missing and packets between the two
/// switches could be part of a cycle; their lanes then cover one path per direction only. Packets
/// from and to spines, which are management traffic only, are included if `spines_count`.
void drop_irregular_detours(const Fabric& fabric, const SwitchGroups& groups, bool spines_count,
                            Lfts& lfts);

}  // namespace weft::dfp
