// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of OpenSM's tables of nodes, which is the order of records in its files.
#pragma once

#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// OpenSM's sort key: the GUID in network byte order, read as a number by a little-endian machine,
/// so that the last byte is the most significant.
inline std::uint64_t opensm_key(Guid guid) { return __builtin_bswap64(guid.value()); }

std::vector<NodeId> nodes_in_opensm_order(const Fabric& fabric);
std::vector<SwitchId> switches_in_opensm_order(const Fabric& fabric);

}  // namespace weft
