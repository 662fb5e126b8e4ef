// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Division of groups into two sub-groups with weights that reduce the largest load of a link
// (routing/divisions). In a tree with missing cables, a port with paths of less capacity receives
// less traffic. The ports of a group do not change.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/adaptive/options.h"

namespace weft {

/// By switch: whether its groups are divided: with kOff at no switch, with kLeaves at
/// leaf_switches(), with kAll at all switches.
std::vector<bool> switches_with_division(AsymmetricFlow where, const Fabric& fabric);

/// Divides the groups of the routes. At each switch, only the group of the first LID of each leaf
/// is divided; the LIDs of the leaf that have this group have the same division. Does nothing if
/// `options.asymmetric` is kOff. A switch that cannot store the additional groups keeps its groups
/// undivided, and the divisions of the other switches are computed for this; a note has the number
/// of such switches.
void divide_groups(const Fabric& fabric, const AdaptiveOptions& options, unsigned threads,
                   Routes& routes);

}  // namespace weft
