// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// --reweight auto: of the routes with all passes, with passes of few moves and without passes,
// those with the highest value of the objective.
#pragma once

#include <functional>

#include "base/result.h"
#include "congestion/quality/objective.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/engine.h"

namespace weft {

/// Routes of an engine with these options.
using RunWithOptions = std::function<Result<Routes>(const RoutingOptions& options)>;

/// With another value of --reweight, for engines without passes and for fabrics on which there are
/// none: run(options). The routes have a note which passes they are of. Costs three runs, and the
/// figures of all tables that differ.
Result<Routes> route_for_objective(const Fabric& fabric, const Engine& engine,
                                   const RoutingOptions& options, Objective objective,
                                   const RunWithOptions& run);

}  // namespace weft
