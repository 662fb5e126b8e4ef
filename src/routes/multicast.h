// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups and their forwarding.
#pragma once

#include <bitset>
#include <map>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

/// Multicast forwarding: the output ports for a multicast LID and a switch. A switch sends a copy
/// of a packet through each of these ports except the port that received the packet.
using PortMask = std::bitset<256>;
using Mfts = std::map<Lid, std::map<SwitchId, PortMask>>;

/// A multicast LID and its endports, which may include port 0 of switches. Both lists are sorted
/// and without duplicates, and no endport is in both lists.
struct MulticastGroup {
  Lid mlid;
  std::vector<EndportId> members;    // send and receive
  std::vector<EndportId> senders{};  // send only: need a path to the tree, receive no copies
  bool operator==(const MulticastGroup&) const = default;
};

}  // namespace weft
