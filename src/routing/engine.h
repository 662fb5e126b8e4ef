// The table of routing engines. An engine is a pure function from an immutable fabric with LIDs to
// routes, or to an error; repeated calls, and calls with another number of threads, return equal
// bytes. The caller decides about fallback.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

struct Engine {
  std::string_view name;
  std::string_view summary;
  Result<Routes> (*run)(const Fabric& fabric, const RoutingOptions& options);
};

/// Runs an engine with the options that it supports, and then the steps common to all engines:
/// paths between CAs and port 0 of switches that the engine left empty (shared/switch_reach.h),
/// calculate_missing_routes, connect_roots unless the engine implements it, and the multicast trees
/// of options.groups.
Result<Routes> run_engine(const Engine& engine, const Fabric& fabric,
                          const RoutingOptions& options);

std::span<const Engine> engines();
/// Null if there is no engine of that name.
const Engine* find_engine(std::string_view name);

}  // namespace weft
