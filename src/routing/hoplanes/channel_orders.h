// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Orders of the channels in which many paths ascend. At a hop where a path does not ascend, the
// lane of the path rises.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft::hoplanes {

/// By ChannelId: the place of the channel in the order. Channels may share a place.
using ChannelOrder = std::vector<std::uint32_t>;

/// In the first order all channels have one place, so that lanes rise at each hop. If the fabric
/// has groups of switches (topology.h), the next order has channels within groups before channels
/// between groups, and channels from a switch without hosts to a switch with hosts in one group
/// last. The remaining orders are up*/down* orders (deadlock/switch_orders.h).
std::vector<ChannelOrder> channel_orders(const Fabric& fabric);

}  // namespace weft::hoplanes
