// LASH: shortest paths between switches, each pair on a layer (a virtual lane) without dependency
// cycles; both directions of a pair are on the same layer. Source: Skeie, Lysne, Theiss, "Layered
// Shortest Path (LASH) Routing in Irregular System Area Networks", CAC 2002; Lysne et al., "Layered
// Routing in Irregular Networks", IEEE TPDS 16(12), 2005.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Fails with kUnroutable where a port has more than one LID, as in OpenSM, and with kOutOfVls
/// where the layers need more lanes than are available from options.lash_start_vl on.
Result<Routes> route_lash(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
