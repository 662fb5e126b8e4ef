// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// --reweight auto: computes routes with all passes, with passes that change few paths, and without
// passes, and selects those with the highest value of the objective.
#pragma once

#include <functional>

#include "base/result.h"
#include "congestion/quality/objective.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/engine.h"

namespace weft {

/// Computes the routes of an engine with these options.
using RunWithOptions = std::function<Result<Routes>(const RoutingOptions& options)>;

/// Selects the passes if --reweight is "auto", the engine has passes and the fabric needs them;
/// otherwise returns run(options). If the passes result in different tables, a note of the routes
/// names the selected passes. Takes the time of three runs, and of the measurement of all different
/// tables. Fails if one of the runs fails.
Result<Routes> route_for_objective(const Fabric& fabric, const Engine& engine,
                                   const RoutingOptions& options, Objective objective,
                                   const RunWithOptions& run);

}  // namespace weft
