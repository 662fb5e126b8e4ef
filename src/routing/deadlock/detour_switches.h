// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Where detours on a damaged tree go down and up again.
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/trunks.h"

namespace weft {

/// At most `count` switches with hosts, best first: by their number of neighbours, then by the sum
/// of those of their neighbours. On a damaged tree packets pass from one plane of spines to another
/// only over a leaf. If all do so at one leaf, and all detours within a plane turn at a neighbour
/// of this leaf, the turns form no cycle: a packet that went up from there comes down in another
/// pod, where none turns up. Every missing cable of that leaf and its neighbours needs a turn
/// elsewhere.
std::vector<SwitchId> detour_switches(const Fabric& fabric, const Trunks& trunks,
                                      std::size_t count);

}  // namespace weft
