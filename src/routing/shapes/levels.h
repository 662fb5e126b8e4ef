// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The level of every switch of a fat tree, and the rules for a fabric to be a fat tree.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft::ftree {

inline constexpr std::int32_t kNoLevel = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kRanksMin = 2;
inline constexpr std::int32_t kRanksMax = 8;

/// Compute nodes (CNs): the ports of -u, or all CA and router ports except aggregation nodes.
struct ComputeNodes {
  std::vector<std::uint8_t> compute;      // by EndportId: 1 for a CN that is cabled to a switch
  std::vector<std::uint32_t> compute_at;  // by SwitchId: number of CNs at the switch
};
ComputeNodes find_compute_nodes(const Fabric& fabric,
                                std::span<const EndportId> compute_nodes = {});

/// Removes the CNs at switches with less than half as many CNs as another switch, because hosts
/// attached to a spine are no CNs.
ComputeNodes without_few(const Fabric& fabric, ComputeNodes cns);

/// The level of each switch: leaves, to which the CNs are cabled, are on level 0, and roots on the
/// highest level; a cable goes up from the lower to the higher level. kNoLevel in parts of the
/// fabric without CAs.
///
/// With roots given, a level is the distance from the roots; all CNs must be on one level. Cables
/// between switches of one level stay unused. Without roots, a level is the distance from the
/// leaves, and a cable between switches of one level is an error. Switches that are the highest
/// switch of no path (an empty leaf has the distances of a root) are then placed below their
/// neighbors. Fails with kUnroutable, naming a switch and the rule, if CNs are on several levels,
/// if a cable joins switches of one level, if there are neither roots nor CAs at switches, or if
/// there are fewer than 2 or more than 8 ranks.
Result<std::vector<std::int32_t>> level_switches(const Fabric& fabric,
                                                 std::span<const SwitchId> roots,
                                                 const ComputeNodes& cns);

/// The levels as ranks of up*/down*: rank 0 on the highest level. All switches must have a level.
std::vector<std::uint16_t> ranks_of(std::span<const std::int32_t> level);

}  // namespace weft::ftree
