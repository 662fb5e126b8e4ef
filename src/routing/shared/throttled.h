// Cables between switches that run below what both of their ends can do, and what avoiding them is
// worth.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Hops that are gone rather than one over a throttled channel: more than any way without is long.
inline constexpr std::uint64_t kThrottledWeight = std::uint64_t{1} << 32;

/// By ChannelId, for fabrics that do not say what their ports are able to do: a cable counts as
/// throttled if both of its switches have a faster cable to another switch.
std::vector<bool> guess_throttled(const Fabric& fabric);

/// Adds to weights by ChannelId; where these are empty, to 1 each.
void avoid(const std::vector<bool>& throttled, std::vector<std::uint64_t>& weights);

/// Throttled cables between switches that others connect, by ChannelId: what can be left out
/// altogether. `weights` as avoid() made them; empty where there are none.
std::vector<bool> needless_throttled(const Fabric& fabric, std::span<const std::uint64_t> weights);

}  // namespace weft
