// DFSSSP: shortest paths balanced over the whole fabric and assigned to virtual lanes such that
// they are deadlock-free. Source: Domke, Hoefler, Nagel, "Deadlock-Free Oblivious Routing for
// Arbitrary Topologies", IPDPS 2011; sssp.h. docs/reference/engines/dfsssp.md lists the
// differences.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Fails with kOutOfVls where the paths need more lanes than options.vls_max and the fabric's ports
/// allow.
Result<Routes> route_dfsssp(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
