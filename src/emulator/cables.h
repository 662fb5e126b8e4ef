// The cables of an emulated fabric as an administrator names them: by a node and one of its ports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulator/emulated_fabric.h"

namespace weft {

/// The node with this GUID (of the node, or of a port of a CA; "0x" in front) or description. Fails
/// with kUsage where there is none, or where several nodes have this description.
Result<NodeId> find_node(const EmulatedFabric& emulated, std::string_view node);

/// The port that a cable is plugged into, be the cable whole or cut. Fails with kUsage where the
/// node has no such port, or nothing is plugged in.
Result<PortId> find_cabled_port(const EmulatedFabric& emulated, NodeId node, unsigned port);

/// One end of each cable that is cut, in order of ports.
std::vector<PortId> cut_cables(const EmulatedFabric& emulated);

}  // namespace weft
