// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// calculate_missing_routes: fills entries that an engine left empty, without regard to the
// guarantees of the engine; the verifier checks the result.
#pragma once

#include <cstdint>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// For each LID, each switch without an entry, or with an entry for a port without a cable, gets
/// the least loaded cable to a neighbor with a path to the destination, nearest switches first.
/// Omits a LID that its own switch forwards to another port. Never closes a loop. Returns the
/// number of entries filled; entries of disconnected switches stay empty.
std::uint64_t add_missing_routes(const Fabric& fabric, Lfts& lfts);
/// As add_missing_routes(), for the LIDs of switches only.
std::uint64_t add_missing_switch_routes(const Fabric& fabric, Lfts& lfts);

}  // namespace weft
