// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One step of a packet: the forwarding of a destination LID by one switch.
#pragma once

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "verify/verify.h"

namespace weft {

/// The next hop of packets for a LID: a channel to the next switch; without a channel the packet
/// leaves the switch fabric with the result `end`.
struct Step {
  ChannelId channel = kNoChannel;
  PortNum port = kNoRoute;
  WalkEnd end = WalkEnd::kArrived;  // valid only without a channel
};

/// The step of packets for a LID at a switch. `owner`: the endport with the LID, or kNoEndport;
/// `port`: the entry of the switch's table.
Step step(const Fabric& fabric, SwitchId sw, PortNum port, EndportId owner);

}  // namespace weft
