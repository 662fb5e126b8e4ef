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

/// The options of the plain engine, and the options of AR groups.
template <class Plain>
struct WithGroups : Plain {
  const AdaptiveOptions* adaptive = nullptr;  // null: the defaults

  static WithGroups from(const RoutingOptions& all) {
    return {Plain::from(all), pointer_to(all.adaptive)};
  }
};

/// Routes of the plain engine; groups by TREE unless options.adaptive selects another algorithm.
Result<Routes> route_ar_updn(const Fabric& fabric, const WithGroups<UpdnOptions>& options);
Result<Routes> route_ar_ftree(const Fabric& fabric, const WithGroups<FtreeOptions>& options);
/// Groups by LAG. torus-2QoS gives parallel cables the same lanes, and dor counts them as one
/// dimension; larger groups would cross a dateline or break dimension order.
Result<Routes> route_ar_torus(const Fabric& fabric, const WithGroups<Torus2QosOptions>& options);
Result<Routes> route_ar_dor(const Fabric& fabric, const WithGroups<DorOptions>& options);
/// Groups by DF_PLUS on a dragonfly+: all ports to spines, and between groups all ports of equal
/// remaining hops. The two lanes of dfp depend on ports only, so any selection within a group stays
/// deadlock-free; if routes need lanes by path, and on a dragonfly, groups are by LAG.
Result<Routes> route_ar_dfp(const Fabric& fabric, const WithGroups<DfpOptions>& options);

/// Adds the groups that options.adaptive requests to the routes of an engine without groups of its
/// own: by LAG. TREE requires up*/down* paths: a request for it only adds a note.
void add_requested_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes);

}  // namespace weft
