// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Turns of unicast packets on all virtual lanes, for SL2VL maps that differ between ports so that
// packets change lanes on their path.
#pragma once

#include "routes/routes.h"
#include "routing/deadlock/turns.h"

namespace weft::multicast {

/// The unicast packets of which the turns are collected.
struct Traffic {
  bool switches = true;  // includes packets between CAs and port 0 of switches
  bool replies = true;   // includes replies to any LID of a port, on the SL of the port's requests
};

/// The turns of unicast packets. `turns` must have `lanes` lanes; turns onto higher VLs are
/// left out. Cost: O(LIDs * switches + turns made).
TurnSet laned_unicast_turns(const Fabric& fabric, const Routes& routes, const Turns& turns,
                            unsigned lanes, Traffic traffic, unsigned threads);

}  // namespace weft::multicast
