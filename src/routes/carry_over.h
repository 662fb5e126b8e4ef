// Tables of yesterday's fabric in the ids and LIDs of today's.
#pragma once

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Switches are found again by node GUID, LIDs by the port GUID of their holder. What either fabric
/// does not have is kNoRoute; whether a port still leads where it led is not asked.
Lfts carry_over(const Fabric& before, const Lfts& lfts, const Fabric& after);

}  // namespace weft
