// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Switches at which detours on a damaged tree turn from down to up.
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/trunks.h"

namespace weft {

/// At most `count` switches with hosts, sorted by their number of neighbors, then by the number of
/// neighbors of these, largest first. On a damaged tree packets pass from one plane of spines to
/// another only over a leaf. If all do so at one leaf, and all detours within a plane turn at a
/// neighbor of this leaf, the turns form no cycle: a packet that turned up there goes down in
/// another pod, where no packet turns up. Every missing cable of that leaf or of its neighbors
/// requires a turn at another switch.
std::vector<SwitchId> detour_switches(const Fabric& fabric, const Trunks& trunks,
                                      std::size_t count);

}  // namespace weft
