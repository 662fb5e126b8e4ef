// Dimension order: of all shortest ways those by the lowest dimension first, where a dimension is
// what a port number stands for. Free of deadlock on meshes and hypercubes that are cabled so; on a
// torus the rings close. Source: opensm(8), "DOR Routing Algorithm".  Cost: O(LIDs * switches +
// switches * channels).
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Dimensions in order of port number, or as options.port_rank has them (-O). Parallel cables are
/// one dimension and share the load. Never fails.
Result<Routes> route_dor(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
