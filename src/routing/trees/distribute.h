// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Distributes the LIDs of one destination over the parents of a switch if not all parents have a
// path.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/trees/tree.h"

namespace weft::ftree {

/// Assigns one of the `good` groups (ascending, not empty) to each LID without a group (kNoGroup):
/// LID i gets the group with the least weight of LIDs (`weights`; empty: 1 each) relative to the
/// rate of its cables. Among equal groups, LID i gets the first from good[starts[i] mod size] on.
/// Groups are indices into `groups_of`. The last LID is that of the destination switch itself,
/// which has weight 0.
void distribute(std::span<const Group> groups_of, std::span<const std::uint8_t> good,
                std::span<const std::uint32_t> starts, std::span<const std::uint32_t> weights,
                std::vector<std::uint8_t>& groups);

/// Selects for each index a group of tree.up(sw): the group in the slot of the index if it is in
/// `good`. LIDs of other slots are numbered in order of their turns and distributed over the good
/// groups in this order, shifted by `rotation`. Returns false if all slots have good groups, so
/// that no LID was distributed.
bool choose_up(const Tree& tree, std::uint32_t sw, std::span<const std::uint8_t> good,
               std::span<const std::uint32_t> indices, std::span<const std::uint32_t> weights,
               std::uint32_t rotation, std::vector<std::uint8_t>& groups);

}  // namespace weft::ftree
