// The table of routing engines. An engine is a pure function from an immutable fabric with LIDs to
// routes, or a reason why not; asked twice, or with another number of threads, it gives equal
// bytes. Fallback is the caller's decision.
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

/// Runs an engine with the options that it heeds, and then what is the same for all:
/// paths between CAs and port 0 of switches that the engine left open (shared/switch_reach.h),
/// calculate_missing_routes, connect_roots where the engine does not see to it itself, and the
/// multicast trees of options.groups.
Result<Routes> run_engine(const Engine& engine, const Fabric& fabric,
                          const RoutingOptions& options);

std::span<const Engine> engines();
/// Null where there is none of that name.
const Engine* find_engine(std::string_view name);

}  // namespace weft
