// The order in which OpenSM walks its tables of nodes, and so the order of records in its files.
#pragma once

#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// What OpenSM sorts by: the GUID in network byte order, read as a number by a little-endian
/// machine, so that the last byte counts most.
inline std::uint64_t opensm_key(Guid guid) { return __builtin_bswap64(guid.value()); }

std::vector<NodeId> nodes_in_opensm_order(const Fabric& fabric);
std::vector<SwitchId> switches_in_opensm_order(const Fabric& fabric);

}  // namespace weft
