// The multicast tables that switches are known to hold, as trees by multicast LID.
#pragma once

#include "fabric/fabric.h"
#include "routes/multicast.h"
#include "sm/held_tables.h"

namespace weft {

/// Ports by multicast LID and switch of `fabric`; what is not known is taken for entries that drop.
Mfts held_trees(const HeldTables& held, const Fabric& fabric);

/// False where a switch may hold entries that were never read: those up to the MulticastFDBTop that
/// it had when it was first seen, as after another manager, or after a restart.
bool knows_trees(const HeldTables& held, const Fabric& fabric);

}  // namespace weft
