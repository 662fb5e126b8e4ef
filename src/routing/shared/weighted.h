// Shortest ways where hops weigh differently: -w, and throttled links that are to be avoided.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shared/hop_dag.h"

namespace weft {

inline constexpr std::uint64_t kNoLength = ~std::uint64_t{0};

/// All ways of least total weight toward the destination. `weights`: by ChannelId, each at least 1;
/// that of a channel counts in its own direction only. Source: Dijkstra, 1959.
void make_weighted_dag(const Fabric& fabric, std::span<const std::uint64_t> weights,
                       SwitchId destination, HopDag& dag);

/// Numbers that order as the lengths do, without gaps from 0, as HopDag wants hops;
/// HopDag::kUnreached for kNoLength.
std::vector<std::uint16_t> levels(std::span<const std::uint64_t> lengths);

}  // namespace weft
