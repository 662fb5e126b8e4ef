// A fabric after something died: the same nodes, LIDs and rates, less what is gone.
#pragma once

#include <span>

#include "fabric/fabric.h"

namespace weft {

/// `dead` nodes are gone with their cables; of a cut cable either end may be named. Ids are new,
/// for they are dense; GUIDs and LIDs stay. At least one node must be left. A CA that hung on a
/// dead switch stays as a node without a cable.
Fabric without(const Fabric& fabric, std::span<const NodeId> dead, std::span<const PortId> cut);

}  // namespace weft
