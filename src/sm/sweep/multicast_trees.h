// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Part of the routing stage: determines the multicast groups of the sweep, and computes their trees
// on unchanged routes.
#pragma once

#include <string>
#include <vector>

#include "sm/sweep/find_routes.h"

namespace weft {

/// Groups of the file and groups joined by clients, in the order of MLIDs; an MLID in the file is
/// reserved for its group. Appends to `warnings`. No update is pending afterwards: this sweep
/// applies the groups.
std::vector<MulticastGroup> current_groups(const RouteInput& input,
                                           std::vector<std::string>& warnings);

/// Computes the trees of `found` for the current groups, and verifies the routes with these trees,
/// unless the trees serve these groups already. If there are no trees, warns, and keeps those of
/// `found`.
void renew_trees(const RouteInput& input, FoundRoutes& found, SweepReport& report);

}  // namespace weft
