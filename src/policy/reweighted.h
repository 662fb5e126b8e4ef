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

/// If --reweight has another value, the engine has no passes, or the fabric needs none:
/// run(options). A note of the routes names the passes. Costs three runs, and the figures of all
/// tables that differ.
Result<Routes> route_for_objective(const Fabric& fabric, const Engine& engine,
                                   const RoutingOptions& options, Objective objective,
                                   const RunWithOptions& run);

}  // namespace weft
