// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replays the writes of a plan on tables in memory, one SMP after the other, and checks for loops
// after each.
#pragma once

#include <vector>

#include "base/rng.h"
#include "routes/carry_over.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// Every block is known to be held.
HeldTables holding(const Fabric& fabric, const Lfts& lfts);

/// Every block of the multicast tables is known to be held, up to the highest LID that has a tree.
void hold_trees(HeldTables& held, const Fabric& fabric, const Mfts& mfts);

/// Blocks that differ, as diff() lists them.
std::vector<Op> differing(const Fabric& fabric, const HeldTables& held, const Lfts& wanted);

class Replay {
 public:
  Replay(const Fabric& fabric, Lfts now, const Lfts& wanted)
      : fabric_(fabric), now_(std::move(now)), wanted_(wanted) {}

  /// The LIDs of a block that change.
  void write(const Op& op, std::uint64_t lids);

  /// All rounds; within each the writes come in an order drawn by `rng`, or as listed.
  void play(const std::vector<Op>& ops, const TableRounds& rounds, Rng* rng);

  /// Writes that caused a loop through the switch, by LID.
  std::uint64_t loops() const { return loops_; }
  const Lfts& tables() const { return now_; }

 private:
  /// A loop caused by a write passes its switch.
  bool loops(SwitchId start, Lid lid) const;

  const Fabric& fabric_;
  Lfts now_;
  const Lfts& wanted_;
  std::uint64_t loops_ = 0;
};

}  // namespace weft
