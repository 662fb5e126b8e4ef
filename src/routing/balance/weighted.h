// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Shortest paths with weighted hops, for -w and for the avoidance of degraded links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/hop_dag.h"

namespace weft {

inline constexpr std::uint64_t kNoLength = ~std::uint64_t{0};  // length if there is no path

/// Makes the DAG of all paths with the least total weight toward the destination. `weights`: by
/// ChannelId, each at least 1; the weight of a channel applies to one direction of the link.
/// Source: Dijkstra, 1959.
void make_weighted_dag(const Fabric& fabric, std::span<const std::uint64_t> weights,
                       SwitchId destination, HopDag& dag);

/// Returns the position of each length in the sorted list of different lengths, for use as hops of
/// a HopDag; HopDag::kUnreached for kNoLength.
std::vector<std::uint16_t> positions_of_lengths(std::span<const std::uint64_t> lengths);

}  // namespace weft
