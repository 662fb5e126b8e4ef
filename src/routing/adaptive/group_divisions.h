// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Division of groups into two sub-groups with weights, so that the traffic of a port is in
// proportion to the capacity of the paths that begin at the port. In a tree with missing cables, a
// port with paths of less capacity receives less traffic. The ports of a group do not change.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/adaptive/options.h"

namespace weft {

/// By switch: whether its groups are divided: with kLeaves at leaf_switches(), with kAll at all
/// switches.
std::vector<bool> switches_with_division(AsymmetricFlow where, const Fabric& fabric);

/// Returns the division of ports with the least overload of a port. `flows`: the ports with their
/// flows. Returns nullopt if all flows are equal, or if the overload is less than 1.125 times the
/// overload after the division.
std::optional<GroupDivision> best_division(std::span<const std::pair<PortNum, double>> flows);

/// Divides the groups of the routes. At each switch, only the group of the first LID of each leaf
/// is divided; the LIDs of the leaf that have this group have the same division. Does nothing if
/// `options.asymmetric` is kOff. A switch that cannot store the additional groups keeps its groups
/// undivided; a note has the number of such switches.
void divide_groups(const Fabric& fabric, const AdaptiveOptions& options, unsigned threads,
                   Routes& routes);

}  // namespace weft
