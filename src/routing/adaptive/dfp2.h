// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dfp2: routes of dfp on a dragonfly+, with adaptive routing over intermediate groups. Packets that
// come from below (from a host at a leaf, from a leaf at a spine) use a private table with AR
// groups that also contain paths over an intermediate group; packets that come from above use table
// 0 with minimal paths. So a packet uses at most one intermediate group. Source: Shpiner et al.,
// "Dragonfly+", 2017 (adaptive routing with two virtual lanes).
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct Dfp2Options : SpreadOptions {
  unsigned vls_max = 8;
  const AdaptiveOptions* adaptive = nullptr;  // null: the defaults

  static Dfp2Options from(const RoutingOptions& all);
};

/// Fails as route_dfp() does, and on dragonflies without spines. Routes of ar_dfp, with a note, if
/// adaptive routing is disabled or its algorithm is LAG, if no switch has private tables and AR
/// groups, if no such switch has a path over an intermediate group, or if packets over intermediate
/// groups would not be deadlock-free on the available lanes. Cost: that of ar_dfp, and O(LIDs *
/// channels) for the private tables.
Result<Routes> route_dfp2(const Fabric& fabric, const Dfp2Options& options);

}  // namespace weft
