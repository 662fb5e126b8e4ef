// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Orders of the channels in which many paths ascend: where a path does not, its lane rises.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft::hoplanes {

/// Places by ChannelId; channels may share one.
using ChannelOrder = std::vector<std::uint32_t>;

/// The first puts all channels at one place, so that lanes rise at each hop. Others: channels
/// within groups of switches before those between groups, where the fabric has groups (topology.h);
/// and up*/down* orders (deadlock/switch_orders.h), for large and small fabrics alike.
std::vector<ChannelOrder> channel_orders(const Fabric& fabric);

}  // namespace weft::hoplanes
