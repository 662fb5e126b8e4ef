// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Grows the tree of cheapest paths to a destination. This is the inner loop of global balancing,
// run once for each LID; it is in a file of its own because it is also compiled for vector units.
#pragma once

#include <cstdint>
#include <span>

#include "routing/shapes/hop_dag.h"

namespace weft {

/// Costs are shifted left by this many bits, so that the index of a next hop fits into the low
/// bits: one minimum operation then finds the least cost, and among equal costs the first next hop.
inline constexpr unsigned kNextHopBits = 8;

struct TreeChoice {
  std::uint32_t channel = 0;
  std::uint32_t to = 0;
};

/// For each member of the DAG, in order, stores the next hop of least cost[to] + load[channel] in
/// `choices`, and sets `cost` (by switch; 0 for the destination). Loads and costs are multiples of
/// 1 << kNextHopBits, and their sums must not overflow.
void grow_tree(const HopDag& dag, std::span<const std::uint32_t> load,
               std::span<std::uint32_t> cost, std::span<TreeChoice> choices);
void grow_tree(const HopDag& dag, std::span<const std::uint64_t> load,
               std::span<std::uint64_t> cost, std::span<TreeChoice> choices);

}  // namespace weft
