// Dragonflies and dragonflies+: groups of switches, each cabled to each other. Ways have as few
// cables between groups as can be, then as few within; so they go over a group in between only
// where two groups have no cable of their own, or, with dfp_detours, for all LIDs of a port but its
// first. Groups are recognised by their cables (routing/topology.h).
// Sources: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA
// 2008; Shpiner et al., "Dragonfly+", 2017.  Cost: that of minhop, and a walk along all paths.
#pragma once

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Fails with kUnroutable where there are no such groups, and with kOutOfVls.
Result<Routes> route_dfp(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
