// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast groups and their forwarding.
#pragma once

#include <bitset>
#include <map>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

/// Multicast forwarding: the output ports for a multicast LID and a switch. A switch sends a packet
/// out of all of them except the one that received it.
using PortMask = std::bitset<256>;
using Mfts = std::map<Lid, std::map<SwitchId, PortMask>>;

/// A multicast LID and its endports; port 0 of a switch may be one. Sorted, without duplicates, and
/// no endport in both lists.
struct MulticastGroup {
  Lid mlid;
  std::vector<EndportId> members;    // send and receive
  std::vector<EndportId> senders{};  // send only: need a path into the tree, receive no copies
  bool operator==(const MulticastGroup&) const = default;
};

}  // namespace weft
