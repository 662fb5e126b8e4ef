// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The cables of an emulated fabric, identified by a node and one of its ports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/emulated_fabric.h"

namespace weft {

/// The node with this GUID (node GUID, or port GUID of an endport, with "0x") or description. Fails
/// with kUsage if there is none, or if several nodes have this description.
Result<NodeId> find_node(const EmulatedFabric& emulated, std::string_view node);

/// The port of a cable, whether intact or cut. Fails with kUsage if the node has no such port, or
/// the port has no cable.
Result<PortId> find_cabled_port(const EmulatedFabric& emulated, NodeId node, unsigned port);

/// One end of each cut cable, in the order of ports.
std::vector<PortId> cut_cables(const EmulatedFabric& emulated);

}  // namespace weft
