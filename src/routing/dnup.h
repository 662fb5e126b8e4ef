// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DNUP: up*/down* with ranks counted from the hosts instead of from roots. A packet first moves
// away from the level of the hosts, then toward this level, and never away again. Suitable for
// fabrics that have hosts at their roots, too. Source: opensm(8), "DNUP Routing Algorithm".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct DnupOptions : UpDownOptions {
  static DnupOptions from(const RoutingOptions& all) { return {UpDownOptions::from(all)}; }
};

/// If the fabric is a tree and its levels as ranks connect all hosts, these are the ranks.
/// Otherwise full_leaves() (shapes/ranks.h) have the lowest rank, and the rank of other switches
/// depends on their distance from a full leaf. If hosts then have no legal path, all switches with
/// hosts have the lowest rank. Switches at equal distance are ranked as in ranks_around(). Fails
/// with kUnroutable, naming two switches, if hosts of one part still have no legal path.
Result<Routes> route_dnup(const Fabric& fabric, const DnupOptions& options);

}  // namespace weft
