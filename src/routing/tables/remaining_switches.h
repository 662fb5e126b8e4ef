// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths beyond up*/down* for switches without a legal path: a spine that lost its cable to a leaf
// has none to that leaf, and the subnet manager may be attached there.
#pragma once

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Fills entries that are kNoRoute where a switch that holds CAs lacks a path to another switch, or
/// that one to it. Switches without a path forward toward a hub, the switch with CAs of the same
/// part that lacks the fewest paths, until a path begins. These paths go up after going down, but
/// carry only packets of or to switches as long as the tables connect all switches with CAs. Never
/// closes a loop in tables without loops. Entries stay empty where the hub has no path to the
/// destination, or the switch none to the hub. A second hub would connect them, but packets that
/// turn up at two switches can deadlock (seen on heavily damaged trees).
void connect_remaining_switches(const Fabric& fabric, unsigned threads, Lfts& lfts);

}  // namespace weft
