// Torus-2QoS: dimension order on a torus or mesh of two or three dimensions, free of deadlock by
// datelines, with two levels of QoS; around failed cables and one failed switch without a change of
// any path's SL. Source: torus-2QoS(8).  Cost: O(switches * LIDs).
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Takes the shape from options.torus. Fails with kUnroutable where the fabric does not fit it, or
/// where so much is missing that packets could wait for each other; with kOutOfVls; and with kUsage
/// where there is no configuration.
Result<Routes> route_torus_2qos(const Fabric& fabric, const RoutingOptions& options);

}  // namespace weft
