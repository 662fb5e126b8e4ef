// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Update order of forwarding-table blocks on a running fabric, such that there is no loop for any
// LID at any time, except LIDs with a loop in their new routes. For each LID, a switch that could
// be part of a loop of old and new entries changes only after the next such switch on its new path,
// so that the rest of the path is already new (ordered FIB updates, Francois and Bonaventure, 2007;
// here a central manager has both states). A block holds 64 LIDs, which may require opposite
// orders. Such a block is written several times, each time for some of its LIDs. Explained in
// docs/explanation/transitions.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"

namespace weft {

struct TableOrder {
  std::vector<Op> ops;                    // sorted by round
  TableRounds rounds;                     // ends of the rounds, and partial writes
  std::vector<std::size_t> stage_begins;  // first round by stage, and the end of the last stage
  std::uint64_t extra_writes = 0;         // writes of a block beyond the first
  std::uint64_t ordered_lids = 0;         // LIDs that could loop in another order
  /// LIDs with a loop in their new routes: no order avoids the loop.
  std::uint64_t unordered_lids = 0;
};

/// `ops`: the blocks that differ, from diff(). Unknown entries count as dropping packets.
/// `stage_of_block`: stage of each block; empty: all 0. Blocks of a later stage are written after
/// all blocks of earlier stages. The result does not depend on `threads`. Typical time: O(ports +
/// switches * block numbers in `ops` + entries of `ops`). Memory: a few bytes for each port and op.
TableOrder order_tables(const Fabric& fabric, const HeldTables& held, const Lfts& wanted,
                        std::span<const Op> ops, std::span<const std::uint16_t> stage_of_block,
                        unsigned threads);

}  // namespace weft
