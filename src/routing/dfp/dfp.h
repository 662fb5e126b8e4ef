// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes dragonflies and dragonflies+: groups of switches with cables between all pairs of groups.
// Paths have as few cables between groups as possible, then as few cables within groups as
// possible. So paths use an intermediate group only if no cable connects two groups, or, with
// dfp_detours, for all LIDs of a port except its first. Groups are recognized by their cables
// (routing/topology.h). Sources: Kim, Dally, Scott, Abts, "Technology-driven, highly-scalable
// dragonfly topology", ISCA 2008; Shpiner et al., "Dragonfly+", 2017. Cost: that of minhop, and a
// traversal of all paths.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

inline constexpr EngineParameter kDfpDetours{
    .name = "dfp_detours",
    .option = "--dfp_detours",
    .is_flag = true,
    .about = "Route every LID of a port except the first through an intermediate group (dfp)."};

/// Lanes of the routes: those of dfp, or two lanes for the private tables of dfp2
/// (dfp/escalation.h). If cables are missing, some packets could be part of a cycle on these lanes.
enum class DfpLanes : std::uint8_t {
  kOwn,
  kPrivate,          // pairs of switches use additional lanes if minimal paths could close a cycle
  kPrivateSeparate,  // pairs use additional lanes if their paths do not follow the order of lanes
};

struct DfpOptions : SpreadOptions {
  unsigned vls_max = 8;
  bool detours = false;  // LIDs of a port except its first use an intermediate group if the lanes
                         // suffice
  DfpLanes lanes = DfpLanes::kOwn;

  static constexpr std::array kParameters{kDfpDetours};
  static DfpOptions from(const RoutingOptions& all);
};

/// Routes the fabric. Fails with kUnroutable if the fabric has no such groups, or if options.lanes
/// is not kOwn and the groups have no spines, and with kOutOfVls if the paths, or the paths
/// together with multicast trees, need more lanes than are available.
Result<Routes> route_dfp(const Fabric& fabric, const DfpOptions& options);

/// Whether the routes, including multicast, are deadlock-free for every port that the switches may
/// select from their AR groups. `routes`: routes of this fabric with these options and AR groups.
/// With other SLs than 0, packets of these SLs must not use AR groups.
bool dfp_choices_are_safe(const Fabric& fabric, const Routes& routes, const DfpOptions& options);

/// Packets with SL 0 from a switch to a LID that do not follow the order of the lanes for some
/// selection of ports; without these packets there is no cycle.
struct DfpPackets {
  SwitchId from;
  Lid lid;
};
/// `routes`: routes with these options, which have lanes for private tables, and AR groups.
std::vector<DfpPackets> dfp_irregular_choices(const Fabric& fabric, const Routes& routes);

}  // namespace weft
