// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths without turn restrictions, with lanes by hop. Shortest paths are selected by load alone.
// Virtual lanes rise along each path; the ports of the switches select them
// (hoplanes/turn_lanes.h). Suitable for fabrics of short paths: as many lanes as hops always
// suffice for a path, and with an order of the channels far fewer lanes are needed. Cost: that of
// minhop with its passes, then O(paths * hops) for each number of lanes tried.
#pragma once

#include <array>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"
#include "routing/reweight/parameter.h"

namespace weft {

inline constexpr EngineParameter kHoplanesDetours{
    .name = "hoplanes_detours",
    .option = "--hoplanes_detours",
    .is_flag = true,
    .about = "Route every LID of a port except the first on a detour, where the VLs suffice."};

struct HoplanesOptions : WeightedOptions {
  unsigned vls_max = 8;
  unsigned reweight = 0;  // kReweight; from() replaces 0 by kReweightAuto
  bool detours = false;   // kHoplanesDetours

  static constexpr std::array kParameters{kReweight, kHoplanesDetours};
  static HoplanesOptions from(const RoutingOptions& all);
};

/// Fails with kOutOfVls if the paths, or the paths together with multicast trees, need more lanes
/// than the ports or options.vls_max allow.
Result<Routes> route_hoplanes(const Fabric& fabric, const HoplanesOptions& options);

}  // namespace weft
