// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive variants of engines: the tables of the plain engine, plus adaptive-routing groups.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/dfp/dfp.h"
#include "routing/dor.h"
#include "routing/engine.h"  // plain_engine()
#include "routing/ftree/ftree.h"
#include "routing/option_groups.h"
#include "routing/torus_2qos/torus_2qos.h"
#include "routing/updn.h"

namespace weft {

/// The options of a plain engine, and the options of AR groups.
template <class Plain>
struct WithGroups : Plain {
  const AdaptiveOptions* adaptive = nullptr;  // null: the defaults

  static WithGroups from(const RoutingOptions& all) {
    return {Plain::from(all), pointer_to(all.adaptive)};
  }
};

/// Routes of the plain engine with TREE groups, unless options.adaptive selects another algorithm.
Result<Routes> route_ar_updn(const Fabric& fabric, const WithGroups<UpdnOptions>& options);
Result<Routes> route_ar_ftree(const Fabric& fabric, const WithGroups<FtreeOptions>& options);
/// Routes of the plain engine with LAG groups. In torus-2QoS parallel cables have the same lanes,
/// and in dor they belong to one dimension. Larger groups would cross a dateline or violate
/// dimension order.
Result<Routes> route_ar_torus(const Fabric& fabric, const WithGroups<Torus2QosOptions>& options);
Result<Routes> route_ar_dor(const Fabric& fabric, const WithGroups<DorOptions>& options);
/// Routes of dfp. On a dragonfly+ the groups are those of DF_PLUS: all ports to spines, and between
/// groups of switches all ports with equal remaining hops. The two lanes of dfp depend on ports
/// only, so in an intact dragonfly+ every selection within an AR group is deadlock-free. If a
/// selection could close a cycle because cables are missing, if routes need lanes by path, and on a
/// dragonfly, the groups are those of LAG.
Result<Routes> route_ar_dfp(const Fabric& fabric, const WithGroups<DfpOptions>& options);

/// Adds the LAG groups that options.adaptive requests to the routes of an engine without AR groups.
/// If TREE groups are requested, which require up*/down* paths, also adds a note about the LAG
/// groups.
void add_requested_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes);

}  // namespace weft
