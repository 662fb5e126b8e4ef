// Routes that a file gives: forwarding tables (-U), hops to balance over (-M), or both. Nothing is
// checked here; the verifier does. Source: opensm(8), "Modular Routing Engine".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// options.lfts as they are; a LID that no table of these has is routed over options.lid_matrix if
/// there is one. Fails with kUnroutable where there is neither.
Result<Routes> route_file(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
