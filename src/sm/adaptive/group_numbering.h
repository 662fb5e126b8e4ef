// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers AR groups by destination leaf, for switches with FRN. A notification contains the number
// of a group, so a leaf must have the same number at all switches with FRN. The number of a leaf is
// the same from sweep to sweep while there are enough numbers.
//
// LIDs of a leaf share a number if they have the same groups at all switches with FRN. Otherwise
// (groups of parallel links, LMC) the leaf has several classes of LIDs, each with a number. The
// largest class is the first class.
// Cost: O(switches * LIDs).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The numbers of the classes of LIDs at a switch, including the LID of the switch, by node GUID of
/// the switch. Numbers are unique and begin at 1; 0: the class has no number.
using GroupNumberMemory = std::map<Guid, std::vector<std::uint16_t>>;

/// Numbers the groups of routes with FRN; removes the numbers of other routes. `highest`: by
/// SwitchId, the highest group number that the switch can store. If there are too few numbers, the
/// first classes of leaves with CAs get numbers first, then the further classes of these leaves,
/// then the LIDs of switches without CAs. An entry becomes static if it has no number, or a number
/// that the switch cannot store. Updates `memory`: the number of an absent switch is assigned to
/// another leaf only if no other number is free. Returns the number of entries that became static.
std::size_t number_groups(const Fabric& fabric, std::span<const std::uint16_t> highest,
                          GroupNumberMemory& memory, Routes& routes);

}  // namespace weft
