// Which switch lies where: from a few switches that the configuration names to the whole torus.
//
// A cable says that two switches are neighbours, nothing more. So a switch with neighbours that are
// placed can only be where all of these have room for it; and where two such switches are cabled,
// each can only be where it has the other beside it. What is left with one place is placed, and so
// on. Every such conclusion is certain. Only where so much is missing that none can be drawn is
// the place taken that leaves the fewest cables missing, if one does.
#pragma once

#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "routing/torus_2qos/grid.h"

namespace weft {

struct Placement {
  std::vector<Place> place_of;      // by switch
  std::vector<SwitchId> switch_at;  // by place; kNoSwitch where none is
};

/// Tries the seeds in order. Fails with kUnroutable where none places every switch: what was wrong
/// with each, naming the switch or cable that does not fit.
Result<Placement> place_switches(const Fabric& fabric, const TorusConfig& config, const Grid& grid);

}  // namespace weft
