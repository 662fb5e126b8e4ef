// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fills table entries for packets between CAs and port 0 of switches that an engine left empty.
// Engines for trees route between CAs; on a damaged tree a spine may have no legal path to a leaf
// after the loss of the cable between them, although other cables connect the two; then the subnet
// manager cannot reach the spine from that leaf.
#pragma once

#include <cstdint>

#include "routes/routes.h"

namespace weft {

/// Fills entries without a route, for LIDs of switches at switches with CAs, and for LIDs of CAs at
/// all switches, one hop at a time: an entry is added only if the graph of all turns stays acyclic,
/// regardless of VLs. Existing entries stay, except those between switches. Does nothing if the
/// turns of the routes have a cycle, because then the routes depend on VLs. Returns the number of
/// entries filled.
std::uint64_t connect_switches(const Fabric& fabric, Routes& routes, unsigned threads);

/// For routes with packets between CAs that are deadlock-free on one lane, but not together with
/// those to and from port 0 of switches: replaces paths that only packets of port 0 use and that
/// close a cycle. False, without a change, if the turns of packets between CAs alone have a
/// cycle.
bool reconnect_switches(const Fabric& fabric, Routes& routes, unsigned threads);

}  // namespace weft
