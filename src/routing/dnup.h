// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DNUP: up*/down* with ranks counted from the hosts instead of from roots: a packet moves away from
// the level of the hosts, then toward it; it never moves away from it again. For fabrics that have
// hosts at their roots, too. Source: opensm(8), "DNUP Routing Algorithm".
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct DnupOptions : UpDownOptions {
  static DnupOptions from(const RoutingOptions& all) { return {UpDownOptions::from(all)}; }
};

/// Ranks are those of a tree, if the fabric is one. Else the full leaves of shapes/ranks.h have the
/// lowest rank, and other switches rank by their distance from these; if hosts then have no legal
/// path, all switches with hosts have the lowest rank. Switches of equal distance rank as in
/// ranks_around(). Fails with kUnroutable, naming two switches, if hosts of one part still have no
/// legal path.
Result<Routes> route_dnup(const Fabric& fabric, const DnupOptions& options);

}  // namespace weft
