// One step of a packet: what a switch does with a destination LID.
#pragma once

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "verify/verify.h"

namespace weft {

/// Where a switch sends packets for a LID: over a channel to the next switch, or out of the switch
/// fabric, where `end` says whether they arrive.
struct Step {
  ChannelId channel = kNoChannel;
  PortNum port = kNoRoute;
  WalkEnd end = WalkEnd::kArrived;  // meaningful without a channel
};

/// `owner` is who holds the LID (kNoEndport: nobody), `port` the entry of the switch's table.
Step step(const Fabric& fabric, SwitchId sw, PortNum port, EndportId owner);

}  // namespace weft
