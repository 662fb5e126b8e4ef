// Routes read from files: forwarding tables (-U), a hop matrix to balance over (-M), or both. The
// routes are not checked here but by the verifier. Source: opensm(8), "Modular Routing Engine".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// options.lfts unchanged; a LID that is in none of these tables is routed over options.lid_matrix
/// if present. Fails with kUnroutable where neither is given.
Result<Routes> route_file(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
