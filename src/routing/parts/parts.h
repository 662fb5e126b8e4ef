// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric divided into its connected parts: each part as a fabric of its own, the options in the
// ids of a part, and the routes of all parts joined to routes of the whole fabric.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/engine.h"
#include "routing/options.h"

namespace weft {

/// Switches joined by cables, and the CAs and routers cabled to them. GUIDs, port numbers and LIDs
/// are those of the whole fabric. The vectors are indexed by ids of the part and contain ids of the
/// whole fabric.
struct FabricPart {
  Fabric fabric;
  std::vector<SwitchId> switches;  // ascending
  std::vector<EndportId> endports;
  std::vector<ChannelId> channels;
};

/// The connected parts, by number of CAs (most first), then number of switches (most first), then
/// lowest switch. CAs that are cabled to no switch are in no part. A CA with ports in two parts is
/// in both parts.
/// Cost: O(parts * ports).
std::vector<FabricPart> split_into_parts(const Fabric& whole);

/// The options of the whole fabric in ids of a part, except multicast groups and the steps of a
/// chain, which apply to the whole fabric, the previous fabric, and before_passes.
RoutingOptions options_of_part(const Fabric& whole, const FabricPart& part,
                               const RoutingOptions& options);

/// Routes of the whole fabric from the routes of each part, which must be in the order of `parts`:
/// tables, SLs, VLs, AR groups, the order of CAs and notes. Multicast trees are planned for the
/// whole fabric by plan_multicast(). Routes::engine names the engines of parts with more than one
/// switch, or of all parts if there is no such part.
Routes join_routes(const Fabric& whole, std::span<const FabricPart> parts,
                   std::span<const Routes> routes);

/// Calls run_engine() for each part. If the engine fails on a part of one switch, minhop routes
/// this part, since only one set of routes is possible. Then plans the multicast trees of the whole
/// fabric. Fails with the error of the first part that cannot be routed, naming the part, or as
/// plan_multicast().
Result<Routes> run_engine_by_parts(const Engine& engine, const Fabric& whole,
                                   const RoutingOptions& options);

/// Text for messages, such as "part 2 (9 switches, 18 CAs)"; `index` counts from 0.
std::string describe(const FabricPart& part, std::size_t index);

}  // namespace weft
