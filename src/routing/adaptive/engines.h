// Adaptive forms of engines: the tables of the plain engine, and groups that switches may choose
// among beside them.
#pragma once

#include <string_view>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// What the plain engine does; groups by TREE unless options.adaptive says otherwise.
Result<Routes> route_ar_updn(const Fabric& fabric, const RoutingOptions& options);
Result<Routes> route_ar_ftree(const Fabric& fabric, const RoutingOptions& options);
/// Groups by LAG. torus-2QoS gives cables side by side the same lanes, and dor counts them as one
/// dimension: more than these would cross a dateline, or leave dimension order.
Result<Routes> route_ar_torus(const Fabric& fabric, const RoutingOptions& options);
Result<Routes> route_ar_dor(const Fabric& fabric, const RoutingOptions& options);
/// Groups by DF_PLUS on a dragonfly+: all ports to spines, and between groups, by which as few hops
/// are left. The two lanes of dfp tell by ports what they tell, so choice among these makes no
/// circle; where routes need lanes by path, and on a dragonfly, groups are by LAG.
Result<Routes> route_ar_dfp(const Fabric& fabric, const RoutingOptions& options);

/// "updn" of "ar_updn", "torus-2QoS" of "ar_torus"; of other names the name itself.
std::string_view plain_engine(std::string_view name);

/// What options.adaptive asks of the routes of an engine that has no groups of its own: LAG. TREE
/// is for up*/down* only: a note says so.
void add_asked_groups(const Fabric& fabric, const RoutingOptions& options, Routes& routes);

}  // namespace weft
