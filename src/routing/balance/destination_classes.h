// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compute nodes, I/O nodes and all others as classes of destinations that SSSP balances one after
// the other: opensm(8), "Hints for optimizing I/O traffic".
#pragma once

#include <span>
#include <vector>

#include "routing/tables/destinations.h"

namespace weft {

/// Every endport with a LID once: first the compute nodes, then the I/O nodes, then all others and
/// the switches; empty classes are omitted. Within a class the endports of `order` are first.
std::vector<std::vector<Destination>> destination_classes(const Fabric& fabric,
                                                          std::span<const EndportId> order,
                                                          std::span<const EndportId> compute_nodes,
                                                          std::span<const EndportId> io_nodes);

}  // namespace weft
