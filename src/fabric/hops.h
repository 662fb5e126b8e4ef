// How far switches are from each other over the cables, whatever routes there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

inline constexpr std::uint16_t kNoHops = 0xFFFF;

/// Least channels between each switch and the nearest of `sources` (cables go both ways), by
/// switch; kNoHops where no cable leads. Cost: O(channels).
std::vector<std::uint16_t> hops_from(const Fabric& fabric, std::span<const SwitchId> sources);

}  // namespace weft
