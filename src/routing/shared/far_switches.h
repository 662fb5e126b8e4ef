// Ways beyond up*/down* where a switch has none: a spine that lost its cable to a leaf has no legal
// path to it, and the manager may sit there.
#pragma once

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Fills entries that are kNoRoute where a switch that holds CAs lacks a path to another switch, or
/// that one to it: who has no path sends as to a hub, the switch with CAs of the same part which
/// itself lacks the fewest, until a path begins. These ways turn up again, and are for packets of
/// or to switches only, as long as the tables connect all switches with CAs with each other. Never
/// closes a loop in tables that have none. Stays open: what the hub has no path to, and who has
/// none to the hub. A second hub would connect them, but packets that turn up at two places can
/// wait for each other in a circle (seen on heavily damaged trees).
void connect_far_switches(const Fabric& fabric, unsigned threads, Lfts& lfts);

}  // namespace weft
