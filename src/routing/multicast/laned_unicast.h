// What unicast packets do on all virtual lanes together, where SL2VL maps differ from port to port
// so that packets change lanes on their way.
#pragma once

#include "routes/routes.h"
#include "routing/shared/turns.h"

namespace weft::multicast {

/// Which unicast packets count.
struct Traffic {
  bool switches = true;  // packets between CAs and port 0 of switches too
  bool replies = true;   // packets back to any LID of a port, on the SL of those from it
};

/// The turns of unicast packets. `turns` are those of as many lanes; packets on VLs beyond are
/// discarded.
/// Cost: O(LIDs * switches + turns made).
TurnSet laned_unicast_turns(const Fabric& fabric, const Routes& routes, const Turns& turns,
                            unsigned lanes, Traffic traffic, unsigned threads);

}  // namespace weft::multicast
