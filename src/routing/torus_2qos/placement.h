// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Maps switches to places, starting from a few switches named in the configuration.
//
// A cable shows only that two switches are neighbors. So a switch with placed neighbors must be at
// a place adjacent to all these neighbors, and of two cabled switches each must be at a place
// adjacent to a possible place of the other switch. A switch with one possible place is placed
// there, which reduces the possible places of other switches. All these conclusions are certain.
// Only if too many cables are missing for a conclusion, the place with the fewest missing cables is
// selected, if it is unique.
#pragma once

#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routing/torus_2qos/grid.h"

namespace weft {

struct Placement {
  std::vector<Place> place_of;      // by switch
  std::vector<SwitchId> switch_at;  // by place; kNoSwitch if empty
};

/// Tries the seeds in order. Fails with kUnroutable if no seed places every switch; the message has
/// the reason for each seed, naming the switch or cable that does not fit.
Result<Placement> place_switches(const Fabric& fabric, const TorusConfig& config,
                                 const TorusGrid& grid);

}  // namespace weft
