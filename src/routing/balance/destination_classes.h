// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Classes of destinations that SSSP balances one after another, such as compute nodes and I/O
// nodes: opensm(8), "Hints for optimizing I/O traffic".
#pragma once

#include <span>
#include <vector>

#include "routing/tables/destinations.h"

namespace weft {

/// The endports of destinations() in up to three classes: compute nodes, I/O nodes, and all other
/// endports, including those of switches. An endport in both lists is a compute node. Empty classes
/// are omitted. Within a class the endports are grouped by switch. The switches of the hosts in
/// `order` are first, and within a switch these hosts. Endports without a LID or without a switch
/// are not returned.
std::vector<std::vector<Destination>> destination_classes(const Fabric& fabric,
                                                          std::span<const EndportId> order,
                                                          std::span<const EndportId> compute_nodes,
                                                          std::span<const EndportId> io_nodes);

}  // namespace weft
