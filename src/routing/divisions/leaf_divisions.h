// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Divisions of AR groups into two sub-groups with weights, for each leaf and the switches on the
// paths to the leaf, so that the largest load of a link is small if all hosts send to all hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The division of the group at a switch for the first LID of a leaf.
struct LeafDivision {
  std::size_t step = 0;  // in the order of choices toward the leaf (choice_order.h)
  SwitchId sw;
  std::uint16_t group = 0;
  GroupDivision division;
};

/// By SwitchId of the leaf: the divisions in ascending order of their steps.
using DivisionsByLeaf = std::vector<std::vector<LeafDivision>>;

/// Of several candidates, the divisions with the least largest load. `divides`: by SwitchId,
/// whether the groups of the switch may be divided. `routes` has adaptive tables.
DivisionsByLeaf best_divisions(const Fabric& fabric, const std::vector<bool>& divides,
                               const Routes& routes, unsigned threads);

/// Returns the division of ports with the least overload of a port, which is the mean of the flows
/// of its group or sub-group, divided by the flow of the port. `flows`: the ports with their flows.
/// Returns nullopt if all flows are equal, or if the overload is less than 1.125 times the overload
/// after the division.
std::optional<GroupDivision> best_division(std::span<const std::pair<PortNum, double>> flows);

}  // namespace weft
