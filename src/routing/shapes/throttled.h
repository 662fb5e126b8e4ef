// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cables between switches that run below the width or speed enabled at both ends, and the weight
// for avoiding them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Weight of a throttled channel in hops: larger than the length of any path without throttled
/// channels.
inline constexpr std::uint64_t kThrottledWeight = std::uint64_t{1} << 32;

/// By ChannelId, for fabrics without data on port capabilities: a cable counts as throttled if both
/// its switches have a faster cable to a switch.
std::vector<bool> guess_throttled(const Fabric& fabric);

/// Adds to `weights` (by ChannelId; empty: 1 each) the weight of throttled cables.
void avoid(const std::vector<bool>& throttled, std::vector<std::uint64_t>& weights);

/// By ChannelId: true for throttled cables between switches that are also connected by paths
/// without throttled cables. Such throttled cables can be excluded from all paths. `weights` are
/// the result of avoid(). Empty if no cable is throttled.
std::vector<bool> needless_throttled(const Fabric& fabric, std::span<const std::uint64_t> weights);

}  // namespace weft
