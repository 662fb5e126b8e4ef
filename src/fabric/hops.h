// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Distances between switches in the physical graph, independent of routes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

inline constexpr std::uint16_t kNoHops = 0xFFFF;  // hop count of an unreachable switch

/// Hop count between each switch and the nearest of `sources` (cables are bidirectional), by
/// switch; kNoHops if unreachable. Cost: O(channels).
std::vector<std::uint16_t> hops_from(const Fabric& fabric, std::span<const SwitchId> sources);

/// The result of hops_from(), and the reachable switches, sources first, in the order of their hop
/// counts.
struct OrderedHops {
  std::vector<std::uint16_t> hops;
  std::vector<std::uint32_t> nearest_first;
};
OrderedHops ordered_hops_from(const Fabric& fabric, std::span<const SwitchId> sources);

}  // namespace weft
