// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Orders of the channels in which many paths ascend. At a hop where a path does not ascend, its
// lane rises.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft::hoplanes {

/// Places by ChannelId; channels may share one.
using ChannelOrder = std::vector<std::uint32_t>;

/// In the first order all channels have one place, so that lanes rise at each hop. The others have
/// channels within groups of switches before channels between groups, if the fabric has groups
/// (topology.h); or are up*/down* orders (deadlock/switch_orders.h).
std::vector<ChannelOrder> channel_orders(const Fabric& fabric);

}  // namespace weft::hoplanes
