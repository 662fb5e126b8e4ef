// Who belongs to a multicast group, and the forwarding that reaches them.
#pragma once

#include <bitset>
#include <map>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

/// Multicast forwarding: for a multicast LID and a switch the ports that copies leave by. A switch
/// sends a packet out of all of them but the one that it came in by.
using PortMask = std::bitset<256>;
using Mfts = std::map<Lid, std::map<SwitchId, PortMask>>;

/// A multicast LID and the endports that use it; port 0 of a switch may be one. Sorted, none twice,
/// none in both lists.
struct MulticastGroup {
  Lid mlid;
  std::vector<EndportId> members;    // send and receive
  std::vector<EndportId> senders{};  // only send: they need a way in and get no copies
  bool operator==(const MulticastGroup&) const = default;
};

}  // namespace weft
