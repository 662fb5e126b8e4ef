// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Part of the routing stage: the multicast groups of the sweep, and their trees on routes that
// stay.
#pragma once

#include <string>
#include <vector>

#include "sm/sweep/find_routes.h"

namespace weft {

/// Groups of the file and those joined by clients; an MLID in the file is reserved for it. Sorted
/// by MLID. Appends to `warnings`. Pending updates are done with this.
std::vector<MulticastGroup> current_groups(const RouteInput& input,
                                           std::vector<std::string>& warnings);

/// Recomputes the trees of `found` for the current groups, and verifies them, unless the groups are
/// those planned last.
void renew_trees(const RouteInput& input, FoundRoutes& found, SweepReport& report);

}  // namespace weft
