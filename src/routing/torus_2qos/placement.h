// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Maps switches to places, starting from a few switches named in the configuration.
//
// A cable shows only that two switches are neighbours. So a switch with placed neighbours can
// only be at a place adjacent to all of these; and of two cabled switches each can only be adjacent
// to a possible place of the other. A switch with one possible place is placed, and so on. Every
// such conclusion is certain. Only if too much is missing for any conclusion, the place that leaves
// the fewest cables missing is chosen, if it is unique.
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

/// Tries the seeds in order. Fails with kUnroutable where none places every switch: the reason for
/// each, naming the switch or cable that does not fit.
Result<Placement> place_switches(const Fabric& fabric, const TorusConfig& config,
                                 const TorusGrid& grid);

}  // namespace weft
