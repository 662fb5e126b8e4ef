// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths beyond up*/down* for switches without a legal path: a spine that lost its cable to a leaf
// has no legal path to that leaf, to which the subnet manager may be cabled.
#pragma once

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Fills entries that are kNoRoute if a switch with CAs has no path to another switch, or another
/// switch has no path to a switch with CAs. Each part has a hub: its switch with CAs that lacks the
/// fewest paths. Switches without a path forward toward the hub, up to the first switch with a
/// path. These paths go up after going down, but carry only packets from or to port 0 of switches,
/// provided that the tables connect all switches with CAs. Never closes a loop in tables without
/// loops. Entries stay empty if the hub has no path to the destination, or the switch has no path
/// to the hub. A second hub would connect such switches, but packets that turn from down to up at
/// two switches can deadlock (observed on heavily damaged trees).
void connect_remaining_switches(const Fabric& fabric, unsigned threads, Lfts& lfts);

}  // namespace weft
