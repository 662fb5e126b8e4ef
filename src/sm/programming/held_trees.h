// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The known multicast tables of switches, as trees by multicast LID.
#pragma once

#include "fabric/fabric.h"
#include "routes/multicast.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// Output ports by multicast LID and switch of `fabric`; LIDs and switches without known ports are
/// left out.
Mfts held_trees(const HeldTables& held, const Fabric& fabric);

/// False if a switch in the cache may contain entries that were never read, up to its
/// MulticastFDBTop when first discovered: after a restart, or if another manager was master before.
bool are_trees_known(const HeldTables& held, const Fabric& fabric);

}  // namespace weft
