// In which order the blocks of forwarding tables are written on a running fabric, so that no
// destination has a loop at any time in between. For each LID a switch that could be part of a
// loop of old and new entries changes only after the next such switch of its new path: what it then
// sends into is new all the way (the argument of ordered FIB updates, Francois and Bonaventure,
// 2007, with one manager that knows both states). A block holds 64 LIDs that may want opposite
// orders: then it is written several times, a part of its LIDs at a time. docs/explanation/transitions.md
// explains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "sm/diff.h"
#include "sm/held_tables.h"

namespace weft {

struct TableOrder {
  std::vector<Op> ops;                    // round after round
  TableRounds rounds;                     // where they end, and what is written in parts
  std::vector<std::size_t> stage_begins;  // first round of each stage, and where the last ends
  std::uint64_t extra_writes = 0;         // more than one to a block of a switch
  std::uint64_t ordered_lids = 0;         // LIDs that could have had a loop in another order
  /// LIDs whose wanted routes loop themselves, so that no order helps.
  std::uint64_t unordered_lids = 0;
};

/// `ops`: the blocks that differ, as diff() lists them. What is not known to be held is taken for
/// entries that drop. `stage_of_block` (empty: all 0): blocks of a later stage are written after
/// all of the earlier ones. Any number of threads gives the same. Cost: O(entries of those blocks)
/// time; memory: a few bytes for each op.
TableOrder order_tables(const Fabric& fabric, const HeldTables& held, const Lfts& wanted,
                        std::span<const Op> ops, std::span<const std::uint16_t> stage_of_block,
                        unsigned threads);

}  // namespace weft
