// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths over an intermediate group for all LIDs of a port except the first (option dfp_detours).
// The method is that of Valiant, but the client selects the LID. Each LID has at most two
// intermediate groups. A source group uses the first of these that needs no more than the three
// lanes of escalation.h. Sources without an intermediate group, and sources in an intermediate
// group, use the path of the first LID.
#pragma once

#include "routes/lfts.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Intermediate groups that a source group may use.
enum class DetourRule {
  /// Dragonfly: a group that is not lower than both other groups. Dragonfly+, on which packets pass
  /// through a leaf of the intermediate group: a group that is higher than the source group.
  kWide,
  kHigherThanBoth,
};
/// Writes the entries of all LIDs of CA ports except the first LID of each port. A LID that would
/// not be reachable over its intermediate groups has the entries of the first LID.
void add_detours(const Fabric& fabric, const SwitchGroups& groups, DetourRule rule, Lfts& lfts);

/// Removes the detours of a source group to the LIDs of a switch if packets between switches of the
/// group and that switch could be part of a cycle, which requires missing cables. Packets from and
/// to spines, which are management packets, are included if `includes_spines` is true.
void drop_irregular_detours(const Fabric& fabric, const SwitchGroups& groups, bool includes_spines,
                            Lfts& lfts);

}  // namespace weft::dfp
