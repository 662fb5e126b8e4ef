// Min Hop: shortest paths, balanced over the channels. Can deadlock where the fabric has rings.
// Source: opensm(8), "Min Hop Algorithm". Cost: O(LIDs * candidate channels).
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Never fails: the connected parts of a fabric are routed separately, and the verifier reports
/// unconnected pairs.
Result<Routes> route_minhop(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
