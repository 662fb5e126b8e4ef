// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cables between the groups of a dragonfly or dragonfly+.
#pragma once

#include <vector>

#include "fabric/generators/drawing.h"
#include "fabric/generators/parameters.h"

namespace weft {

/// Switches with global ports, by group, the same number in each group; each switch has `ports`
/// global ports.
struct GlobalSwitches {
  std::vector<std::vector<Drawing::Switch>> group;
  unsigned ports = 0;
};

/// Fails with kUsage if `slots` global ports per group are too few to reach all other groups.
Status check_groups(const Parameters& parameters, unsigned groups, std::uint64_t slots);

/// Connects every pair of groups by the same number of cables, as many as the global ports allow;
/// remaining ports stay free. For each distance on the circle of groups in turn, each group uses
/// the ports of its switches in order, so that a switch has the cables to groups at successive
/// distances (a circulant arrangement: Hastings et al., "Comparing global link arrangements for
/// dragonfly networks", 2015).
void join_groups(Drawing& drawing, const GlobalSwitches& global_switches);

}  // namespace weft
