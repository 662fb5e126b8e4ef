// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Switches at which detours on a degraded tree turn from down to up.
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/trunks.h"

namespace weft {

/// Returns at most `count` switches with hosts, sorted by their number of neighbors, then by the
/// number of neighbors of these neighbors, largest first. On a degraded tree, a path from one plane
/// of spines to another passes through a leaf. If all such paths use the same leaf, and all detours
/// within a plane turn at a neighbor of this leaf, the turns form no cycle: after such a turn, a
/// path has its down hops in another pod, where no path turns up. Every missing cable of the leaf
/// or of its neighbors requires a turn at another switch.
std::vector<SwitchId> detour_switches(const Fabric& fabric, const Trunks& trunks,
                                      std::size_t count);

}  // namespace weft
