// calculate_missing_routes: entries that an engine left open are filled, whatever that does to the
// engine's own promises; the verifier judges the result.
#pragma once

#include <cstdint>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// For each LID, each switch without an entry, or whose entry leads to no cable, sends by the least
/// loaded cable to a neighbour from which packets arrive, nearest first. Never closes a loop. Gives
/// the number of entries filled; what no cable connects stays open.
std::uint64_t add_missing_routes(const Fabric& fabric, Lfts& lfts);
/// The same for the LIDs of switches only.
std::uint64_t add_missing_switch_routes(const Fabric& fabric, Lfts& lfts);

}  // namespace weft
