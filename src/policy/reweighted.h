// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// --reweight auto: computes routes with all passes and without passes, and selects those without
// passes only if their value of the objective is higher, clearly so if the objective is balanced.
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

/// Selects the passes if --reweight is "auto", the engine has passes and the fabric is small enough
/// for them; otherwise returns run(options). If the tables differ, a note names the selected ones.
/// There is no run without passes if the passes changed nothing. Otherwise it uses
/// RoutingOptions::before_passes, and both tables are measured if they differ.
Result<Routes> route_for_objective(const Fabric& fabric, const Engine& engine,
                                   const RoutingOptions& options, Objective objective,
                                   const RunWithOptions& run);

}  // namespace weft
