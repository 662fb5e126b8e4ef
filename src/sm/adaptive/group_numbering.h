// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers AR groups by destination leaf, for switches with FRN: a notification carries the number
// of a group, so a leaf has the same number at all switches with FRN. A leaf keeps its number from
// sweep to sweep while there are enough numbers.
//
// LIDs of one leaf share a number if they are in the same groups at all switches with FRN.
// Otherwise (groups of parallel links, further LIDs by LMC) the leaf has several classes of LIDs,
// each with a number. The largest class is the first.
// Cost: O(switches * LIDs).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// By node GUID of a switch, the numbers of the classes of LIDs at this switch, its own LID
/// included. Numbers are unique and begin at 1; 0: a class without a number.
using GroupNumberMemory = std::map<Guid, std::vector<std::uint16_t>>;

/// Numbers the groups of routes with FRN; groups of other routes have no numbers afterwards.
/// `highest`: by SwitchId, the highest group number that the switch can store. If there are too few
/// numbers, the first classes of leaves with CAs are numbered first, then the further classes of
/// these leaves, then the LIDs of switches without CAs. Entries become static if they have no
/// number that the switch can store. Updates `memory`: the number of an absent switch is assigned
/// to another leaf only if no other number is free. Returns how many entries became static.
std::size_t number_groups(const Fabric& fabric, std::span<const std::uint16_t> highest,
                          GroupNumberMemory& memory, Routes& routes);

}  // namespace weft
