// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual lanes of a dragonfly. The ports of a switch select the lane (escalation.h). If cables are
// missing, the paths of some pairs of switches would close cycles on these lanes; such pairs have
// additional lanes. Each pair has one SL for both directions and all LIDs, so replies add no
// dependencies.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/dfp/dfp.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Sets path_sl, sl2vl, vls and vls_needed of routes with complete tables. Fails with kOutOfVls if
/// the paths need more than `available` lanes.
Status assign_lanes(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                    unsigned threads, Routes& routes);

/// Like assign_lanes(), for routes with private tables on a dragonfly+: the two lanes of
/// Escalation::with_private_tables(), and additional lanes. `lanes` is not kOwn.
Status assign_private_lanes(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                            DfpLanes lanes, Routes& routes);

/// Whether packets with SL 0 are free of cycles, whichever port of an AR group each switch selects.
/// `routes` has lanes of this kind.
bool choices_are_safe(const Fabric& fabric, const SwitchGroups& groups, const Routes& routes,
                      DfpLanes lanes);

}  // namespace weft::dfp
