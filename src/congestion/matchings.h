// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Effective bisection bandwidth: mean over random matchings of the hosts, and over the flows of
// each, of 1 / (most flows on a channel of the path). A flow that does not arrive counts as 0.
// Source: Hoefler et al., "Multistage switches are not crossbars", Cluster 2008.
#pragma once

#include <span>

#include "congestion/quality.h"
#include "fabric/fabric.h"
#include "routes/next_hops.h"
#include "routes/routes.h"

namespace weft {

/// Every flow takes the next hops of the forwarding tables. `hosts`: at least two.
double mean_bandwidth(const Fabric& fabric, const Routes& routes, const PortMap& map,
                      std::span<const EndportId> hosts, const QualityOptions& options);

/// Every flow is placed, at each hop, on the port of its adaptive group with the fewest flows.
/// `routes.adaptive` must not be null.
double mean_adaptive_bandwidth(const Fabric& fabric, const Routes& routes, const PortMap& map,
                               std::span<const EndportId> hosts, const QualityOptions& options);

}  // namespace weft
