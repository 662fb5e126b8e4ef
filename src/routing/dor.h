// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Dimension order: the shortest paths that complete the lowest dimension first. The port number
// represents the dimension. Deadlock-free on meshes and hypercubes that are cabled by this rule; on
// a torus the channel dependencies of a ring can form a cycle. Source: opensm(8), "DOR Routing
// Algorithm". Cost: O(LIDs * switches + switches * channels).
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct DorOptions : SpreadOptions {
  static DorOptions from(const RoutingOptions& all) { return {SpreadOptions::from(all)}; }
};

/// Dimensions are ordered by port number, or by options.port_rank (-O). Parallel cables are one
/// dimension and share the load. Never fails.
Result<Routes> route_dor(const Fabric& fabric, const DorOptions& options);

}  // namespace weft
