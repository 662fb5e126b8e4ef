// Adaptive variants of engines: the tables of the plain engine, plus adaptive-routing groups.
#pragma once

#include <string_view>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Routes of the plain engine; groups by TREE unless options.adaptive selects another algorithm.
Result<Routes> route_ar_updn(const Fabric& fabric, const RoutingOptions& options);
Result<Routes> route_ar_ftree(const Fabric& fabric, const RoutingOptions& options);
/// Groups by LAG. torus-2QoS gives parallel cables the same lanes, and dor counts them as one
/// dimension; larger groups would cross a dateline or break dimension order.
Result<Routes> route_ar_torus(const Fabric& fabric, const RoutingOptions& options);
Result<Routes> route_ar_dor(const Fabric& fabric, const RoutingOptions& options);
/// Groups by DF_PLUS on a dragonfly+: all ports to spines, and between groups all ports of equal
/// remaining hops. The two lanes of dfp depend on ports only, so any selection within a group stays
/// deadlock-free; where routes need lanes by path, and on a dragonfly, groups are by LAG.
Result<Routes> route_ar_dfp(const Fabric& fabric, const RoutingOptions& options);

/// "updn" of "ar_updn", "torus-2QoS" of "ar_torus"; of other names the name itself.
std::string_view plain_engine(std::string_view name);

/// Adds the groups that options.adaptive requests to the routes of an engine that has none of its
/// own: LAG. TREE requires up*/down*; otherwise adds a note.
void add_requested_groups(const Fabric& fabric, const RoutingOptions& options, Routes& routes);

}  // namespace weft
