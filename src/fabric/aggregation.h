// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Aggregation nodes: CAs inside switches that compute reductions (SHARP). Switches of all levels
// may have one. Aggregation nodes have LIDs and routes, but exchange no data with hosts, so metrics
// of the quality of routes do not count them.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Whether the device ID or the description of a CA is that of an aggregation node.
bool is_aggregation_node(const Node& node);

/// Fabric::hosts() without aggregation nodes.
std::vector<EndportId> traffic_hosts(const Fabric& fabric);

/// By switch: the CA and router ports cabled to it, except aggregation nodes.
std::vector<std::uint32_t> traffic_ports_by_switch(const Fabric& fabric);

/// By switch: whether it is a leaf, that is, whether traffic_ports_by_switch() is above 0. If this
/// is 0 for all switches, the switches with a cable to an aggregation node are leaves.
std::vector<bool> leaf_switches(const Fabric& fabric);

}  // namespace weft
