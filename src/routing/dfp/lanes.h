// Virtual lanes of a dragonfly: few by the ports of switches (escalation.h), and more only for
// pairs of switches whose paths do not fit there, because cables are missing. Each pair has one SL
// for both directions, all LIDs included, so replies add no dependencies.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"
#include "routing/topology.h"

namespace weft::dfp {

/// Sets path_sl, sl2vl, vls and vls_needed of routes whose tables are complete. Fails with
/// kOutOfVls.
Status assign_lanes(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                    unsigned threads, Routes& routes);

/// Does multicast have a lane to itself, or trees that close no cycle with unicast packets?
bool leaves_room_for_multicast(const Fabric& fabric, const Routes& routes,
                               const RoutingOptions& options);

/// Do routes with one SL stay free of cycles whatever their switches choose?
bool choices_are_safe(const Fabric& fabric, const SwitchGroups& groups, const Routes& routes);

}  // namespace weft::dfp
