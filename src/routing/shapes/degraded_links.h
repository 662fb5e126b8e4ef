// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Degraded links: links between switches that run below the width or speed enabled at both ends,
// and the weight for avoiding them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Weight of a degraded channel in hops: larger than the length of any path without degraded
/// channels.
inline constexpr std::uint64_t kDegradedLinkWeight = std::uint64_t{1} << 32;

/// By ChannelId, for fabrics without data on port capabilities: a link counts as degraded if both
/// its switches have a faster link to a switch.
std::vector<bool> guess_degraded_links(const Fabric& fabric);

/// Adds kDegradedLinkWeight to the `weights` (by ChannelId; empty: 1 each) of degraded channels.
void add_degraded_weights(const std::vector<bool>& degraded, std::vector<std::uint64_t>& weights);

/// By ChannelId: true for degraded links between switches that are also connected by paths without
/// degraded links. Such degraded links can be excluded from all paths. `weights` are the result of
/// add_degraded_weights(). Empty if no link is degraded.
std::vector<bool> avoidable_degraded_links(const Fabric& fabric,
                                           std::span<const std::uint64_t> weights);

}  // namespace weft
