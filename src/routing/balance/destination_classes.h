// Compute nodes, I/O nodes and all others as classes of destinations that SSSP balances one after
// the other: opensm(8), "Hints for optimizing I/O traffic".
#pragma once

#include <vector>

#include "routing/options.h"
#include "routing/tables/destinations.h"

namespace weft {

/// Every endport with a LID once: first options.compute_nodes, then options.io_nodes, then all
/// others and the switches; empty classes are left out. Within a class by options.order.
std::vector<std::vector<Destination>> destination_classes(const Fabric& fabric,
                                                          const RoutingOptions& options);

}  // namespace weft
