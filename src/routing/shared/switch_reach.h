// Paths between CAs and port 0 of switches that an engine leaves open. Engines for trees route what
// CAs send each other; on a damaged tree a spine may have no legal path to a leaf that lost the
// cable between them, although other cables join the two, and management cannot reach it.
#pragma once

#include <cstdint>

#include "routes/routes.h"

namespace weft {

/// Fills entries without a route, for LIDs of switches where CAs need them and for LIDs of CAs
/// everywhere, one hop at a time: an entry is taken only where the graph of all turns stays without
/// a cycle, whatever VL packets take. Entries that exist stay as they are, but for those
/// between switches. Does nothing where the
/// turns of the routes have a cycle, because only VLs break it then. Returns the entries filled.
std::uint64_t connect_switches(const Fabric& fabric, Routes& routes, unsigned threads);

/// For routes whose packets between CAs are free of deadlock on one lane, and are so no more with
/// those to and from port 0 of switches: paths that only these use and that close a cycle are
/// replaced by others that do not. False where packets between CAs alone have a cycle of turns:
/// then nothing is changed.
bool reconnect_switches(const Fabric& fabric, Routes& routes, unsigned threads);

}  // namespace weft
