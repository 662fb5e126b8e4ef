// DNUP: up*/down* with ranks counted from the hosts instead of from roots: a packet moves away from
// the hosts' level, then toward it, and never away again. For fabrics with hosts at their roots
// too. Source: opensm(8), "DNUP Routing Algorithm".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Ranks are those of a tree, if the fabric is one. Else the full leaves of shared/ranks.h rank
/// lowest, others by their distance from these; where that leaves hosts without a legal path, all
/// switches with hosts rank lowest. Equals rank as around the central switch. Fails with
/// kUnroutable where this leaves hosts of one part without a legal path, naming two switches.
Result<Routes> route_dnup(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
