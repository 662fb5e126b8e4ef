// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Copies a fabric without failed nodes and cables, or with other FNM ports: the remaining nodes,
// LIDs and rates are the same.
#pragma once

#include <span>
#include <vector>

#include "fabric/builder.h"
#include "fabric/fabric.h"

namespace weft {

/// Removes the nodes in `failed` with their cables, and cables with an end in `cut`. Ids are new,
/// because they are dense; GUIDs and LIDs stay. At least one node must remain. A CA on a failed
/// switch remains as a node without a cable.
Fabric without(const Fabric& fabric, std::span<const NodeId> failed, std::span<const PortId> cut);

inline constexpr auto kLeftOut = ~FabricBuilder::NodeIndex{0};
/// Sets the ports of a copy and connects them. `index`, by NodeId: the index of each node in the
/// builder, or kLeftOut. `severed`, by PortId: both ends of the cables and FNM links that are left
/// out. `fnm`: the FNM ports of the copy, sorted; null: those of the fabric.
void copy_ports(const Fabric& fabric, std::span<const FabricBuilder::NodeIndex> index,
                const std::vector<bool>& severed, FabricBuilder& builder,
                const std::vector<PortId>* fnm = nullptr);

/// The same fabric with the FNM ports in `fnm`, which is sorted, and no others. Ids of nodes, ports
/// and endports are the same.
Fabric with_fnm_ports(const Fabric& fabric, const std::vector<PortId>& fnm);

}  // namespace weft
