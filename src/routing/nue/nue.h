// Nue: deadlock-free on any connected fabric with any number of virtual lanes from one, with paths
// as short as possible. Source: Domke, Hoefler, Matsuoka, "Routing on the Dependency Graph", HPDC
// 2016; docs/reference/engines/nue.md lists the differences.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Never fails. Uses at most options.nue_vls lanes (0: as many as the ports have), and no more than
/// options.vls_max. The connected parts of a fabric are routed separately.
Result<Routes> route_nue(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
