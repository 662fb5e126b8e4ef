// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual lanes of a dragonfly. The ports of a switch select the lane (escalation.h). If cables are
// missing, the paths of some pairs of switches would close cycles on these lanes; such pairs have
// additional lanes. Each pair has one SL for both directions and all LIDs, so replies add no
// dependencies.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Sets path_sl, sl2vl, vls and vls_needed of routes with complete tables. Fails with kOutOfVls if
/// the paths need more than `available` lanes.
Status assign_lanes(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                    unsigned threads, Routes& routes);

/// Whether routes with AR groups and one SL are free of cycles on the `routes.vls` lanes of
/// escalation.h for every port that the switches may select.
bool choices_are_safe(const Fabric& fabric, const SwitchGroups& groups, const Routes& routes);

}  // namespace weft::dfp
