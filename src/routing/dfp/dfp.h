// Dragonflies and dragonflies+: groups of switches, each group cabled to every other. Paths take as
// few cables between groups as possible, then as few within groups; so they use an intermediate
// group only where two groups have no direct cable, or, with dfp_detours, for all LIDs of a port
// but its first. Groups are recognised by their cables (routing/topology.h).
// Sources: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA
// 2008; Shpiner et al., "Dragonfly+", 2017.  Cost: that of minhop, and a traversal of all paths.
#pragma once

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Fails with kUnroutable where there are no such groups, and with kOutOfVls.
Result<Routes> route_dfp(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
