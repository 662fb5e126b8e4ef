// Paths over a group in between, for all LIDs of a port but the first (dfp_detours; Valiant's idea,
// with the choice left to the client that selects the LID). Each LID has one or two such groups,
// and a source group takes the first of them that needs no lanes beyond the three of escalation.h.
// Sources without such a group, and those in the groups in between, take the path of the first LID.
#pragma once

#include "routes/lfts.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Which group in between a source group may take.
enum class DetourRule {
  /// Dragonfly: any, unless it is lower than both other groups. Dragonfly+, where packets turn at a
  /// leaf in between: one that is higher than the source group.
  kWide,
  kHigherThanBoth,
};
void add_detours(const Fabric& fabric, const SwitchGroups& groups, DetourRule rule, Lfts& lfts);

/// Takes detours away, by source group and LID, where cables are missing and packets between the
/// two switches could take part in a cycle: these then need lanes for one path each way only.
/// Packets of spines, which only managers exchange, count where `spines_count`.
void drop_irregular_detours(const Fabric& fabric, const SwitchGroups& groups, bool spines_count,
                            Lfts& lfts);

}  // namespace weft::dfp
