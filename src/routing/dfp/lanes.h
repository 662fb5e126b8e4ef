// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual lanes of a dragonfly: selected by the ports of a switch (escalation.h), plus lanes for
// pairs of switches with paths that would close cycles on these because cables are missing. Each
// pair has one SL for both directions and all LIDs, so replies add no dependencies.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Sets path_sl, sl2vl, vls and vls_needed of routes with complete tables. Fails with
/// kOutOfVls.
Status assign_lanes(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                    unsigned threads, Routes& routes);

/// Do routes with one SL stay free of cycles for any port that each switch selects from its groups?
bool choices_are_safe(const Fabric& fabric, const SwitchGroups& groups, const Routes& routes);

}  // namespace weft::dfp
