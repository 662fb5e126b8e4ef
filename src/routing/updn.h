// Up*/Down* routing: after a legal path turns down it never goes up again, so channels cannot form
// a cycle. Source: Schroeder et al., Autonet, 1991; opensm(8), "UPDN Routing Algorithm".
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Ranks from options.roots, or from detected roots; where none are detected, or these do not
/// connect all hosts, from the central switch, which always does. Each connected part of a fabric
/// has roots of its own. Fails with kUnroutable when given roots leave hosts of one part without a
/// legal path, naming two switches.
Result<Routes> route_updn(const Fabric& fabric, const RoutingOptions& options);

/// The ranks that route_updn uses, part by part; fails as route_updn does.
Result<std::vector<std::uint16_t>> updn_ranks(const Fabric& fabric, const RoutingOptions& options);

/// Ranks by the levels of ftree/levels.h, the top level being 0; empty if the fabric is no tree.
/// Where cables are missing, distances to hosts would rank a damaged top switch below the others.
std::vector<std::uint16_t> tree_ranks(const Fabric& fabric);

/// Up*/down* paths for any ranks, compared by goes_up() in shared/ranks.h.
Routes route_up_down(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     const RoutingOptions& options, std::string_view engine);

/// Two switches with hosts of one part, the first without a legal path to the second.
std::optional<std::pair<SwitchId, SwitchId>> gap_between_hosts(const Fabric& fabric,
                                                               std::span<const std::uint16_t> rank,
                                                               const RoutingOptions& options);

}  // namespace weft
