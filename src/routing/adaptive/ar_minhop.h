// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing over all shortest paths on any topology: a group contains every next hop of
// minhop. Packets between two switches use a virtual lane on which all their paths together are
// deadlock-free (choice_layers.h). If there are too few lanes for all next hops, next hops that
// would close a cycle are in no group.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/adaptive/engines.h"
#include "routing/adaptive/minhop_choices.h"
#include "routing/minhop.h"

namespace weft {

struct ArMinhopOptions : WithGroups<MinhopOptions> {
  unsigned vls_max = 8;
  /// Switches with a private table for each lane may have groups of their own for each lane.
  bool table_by_lane = false;

  static ArMinhopOptions from(const RoutingOptions& all);
};

struct LanesOfChoices {
  unsigned count = 1;                 // number of lanes
  std::vector<std::uint8_t> of_pair;  // lane by pair of switches, symmetric
  std::uint64_t next_hops = 0;        // number of next hops of all switches toward all others
  /// Number of next hops that are in no group, each in the table for the lane of its pair.
  std::uint64_t left_out = 0;
};
/// Assigns a lane to each pair of switches, for the next hops of minhop. If the lanes are too few
/// for all next hops, those that would close a cycle on the lane of a pair are removed from
/// `choices`. `lfts`: tables of minhop. Fails with kOutOfVls; the message names the engine.
Result<LanesOfChoices> assign_choice_lanes(const Fabric& fabric, const ArMinhopOptions& options,
                                           std::string_view engine, const Lfts& lfts,
                                           MinhopChoices& choices);

/// Computes the routes; without AR groups if adaptive routing is disabled. Fails with kOutOfVls if
/// the lanes are too few for one path for each pair of switches, or as route_minhop() does.
/// `engine` is the name in the routes and in errors.
Result<Routes> route_with_lanes(const Fabric& fabric, const ArMinhopOptions& options,
                                std::string_view engine);

Result<Routes> route_ar_minhop(const Fabric& fabric, const ArMinhopOptions& options);

}  // namespace weft
