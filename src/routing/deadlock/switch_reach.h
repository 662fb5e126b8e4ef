// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fills empty table entries, and replaces paths, for packets between CAs and port 0 of switches.
// Engines for trees compute paths between CAs. If a cable of a tree is missing, there may be no
// up/down path between its leaf and its spine, although other cables connect both. Then port 0 of
// the spine is not reachable from hosts of the leaf.
#pragma once

#include <cstdint>

#include "routes/routes.h"

namespace weft {

/// Fills empty entries: for LIDs of switches at switches with CAs and on the paths from these
/// switches, and for LIDs of CAs at all switches. An entry is added only if the graph of all turns,
/// without regard to VLs, stays acyclic. Existing entries do not change, except entries that are
/// used only by packets between switches. Does nothing if the turns of the routes have a cycle,
/// because the routes then need several VLs. Returns the number of filled entries.
std::uint64_t connect_switches(const Fabric& fabric, Routes& routes, unsigned threads);

/// Replaces paths that only packets to and from port 0 of switches use and that have a turn that
/// packets between CAs do not have. Paths for which no replacement keeps the turns acyclic are
/// removed. Intended for routes that are deadlock-free on one lane only without these packets.
/// Returns false, without a change, if the turns of packets between CAs alone have a cycle.
bool reconnect_switches(const Fabric& fabric, Routes& routes, unsigned threads);

}  // namespace weft
