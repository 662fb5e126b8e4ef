// Which ways a switch takes for the LIDs of one destination where not all ways serve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/ftree/tree.h"

namespace weft::ftree {

/// Gives the LIDs that have no group yet (kNoGroup) one of the `good` ones, ascending and not none:
/// for LID i from good[starts[i] mod size] on the first of those that have the fewest LIDs, or the
/// least weight of LIDs (empty: each weighs 1), for each of their cables: `ways` are what groups
/// are numbers of. The last LID is that of the holding switch itself, which weighs nothing.
void deal_out(std::span<const Group> ways, std::span<const std::uint8_t> good,
              std::span<const std::uint32_t> starts, std::span<const std::uint32_t> weights,
              std::vector<std::uint8_t>& groups);

/// For each index the group of tree.up(sw): the one in its slot if that is good. What the other
/// slots would have taken is counted through, turn by turn, and dealt out in this order, `rotation`
/// places on. True if anything was dealt out.
bool choose_up(const Tree& tree, std::uint32_t sw, std::span<const std::uint8_t> good,
               std::span<const std::uint32_t> indices, std::span<const std::uint32_t> weights,
               std::uint32_t rotation, std::vector<std::uint8_t>& groups);

}  // namespace weft::ftree
