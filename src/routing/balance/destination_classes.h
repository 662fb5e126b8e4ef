// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Classes of destinations that SSSP balances one after another, such as compute nodes and I/O
// nodes: opensm(8), "Hints for optimizing I/O traffic".
#pragma once

#include <span>
#include <vector>

#include "routing/tables/destinations.h"

namespace weft {

/// Returns every endport with a LID once. The first class has the compute nodes, the second the I/O
/// nodes, the last all other endports, with those of switches. Empty classes are omitted. Within a
/// class the endports of `order` are first.
std::vector<std::vector<Destination>> destination_classes(const Fabric& fabric,
                                                          std::span<const EndportId> order,
                                                          std::span<const EndportId> compute_nodes,
                                                          std::span<const EndportId> io_nodes);

}  // namespace weft
