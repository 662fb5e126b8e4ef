// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Division of groups into two sub-groups with weights, so that the traffic of a group follows the
// capacity of the paths behind its ports: on a tree without some cables, a port with less capacity
// behind it receives less traffic. The ports of the groups stay the same.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/adaptive/options.h"

namespace weft {

/// Whether groups of a switch are divided: at leaves, or at all switches.
bool divides_at(AsymmetricFlow where, const Fabric& fabric, SwitchId sw);

/// The division of ports, given with the flow that each carries, that has the least overload of a
/// port. Nothing if it reduces the overload by less than an eighth.
std::optional<GroupDivision> best_division(std::span<const std::pair<PortNum, double>> flows);

/// Divides the groups of the routes. The LIDs of one leaf that have the same group have the same
/// division. A switch that cannot store the additional groups keeps its groups undivided; a note
/// has the number of such switches.
void divide_groups(const Fabric& fabric, const AdaptiveOptions& options, unsigned threads,
                   Routes& routes);

}  // namespace weft
