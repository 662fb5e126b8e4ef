// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers adaptive-routing groups by destination leaf, where switches send routing notifications: a
// notification carries the number of a group, so a leaf has the same number at all of these
// switches. A number stays as long as there are enough.
//
// LIDs of one leaf share a number if they are in the same groups at all of these switches. Where
// they are not (groups of parallel cables, further LIDs by LMC), the leaf has several classes of
// LIDs, each with a number. The largest class is the first.
// Cost: O(switches * LIDs).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// By node GUID of a switch, the numbers of the classes of LIDs that it holds, itself included.
/// Numbers are from 1 and appear once; 0: a class without one.
using GroupNumberMemory = std::map<Guid, std::vector<std::uint16_t>>;

/// Numbers the groups of routes with notifications; others have no numbers afterwards. `highest`:
/// by SwitchId, the highest number that the switch can hold. If there are too few numbers, the
/// first classes of leaves with CAs are numbered first, then their further classes, then the LIDs
/// of switches without CAs. Entries without a number that the switch can hold become static.
/// Updates `memory`: numbers of absent switches are given to others only when no other is free.
/// Returns how many entries became static.
std::size_t number_groups(const Fabric& fabric, std::span<const std::uint16_t> highest,
                          GroupNumberMemory& memory, Routes& routes);

}  // namespace weft
