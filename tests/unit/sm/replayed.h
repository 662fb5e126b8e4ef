// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replays the writes of a plan on tables in memory, one SMP after the other, and checks for loops
// after each SMP.
#pragma once

#include <vector>

#include "base/rng.h"
#include "routes/carry_over.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"

namespace weft {

/// HeldTables in which every block of these tables is recorded.
HeldTables held_tables_of(const Fabric& fabric, const Lfts& lfts);

/// Records every block of these multicast tables, up to the highest LID with a tree.
void record_trees(HeldTables& held, const Fabric& fabric, const Mfts& mfts);

/// Writes of the blocks that differ from `held`, ordered by switch, then by block.
std::vector<Op> differing_writes(const Fabric& fabric, const HeldTables& held, const Lfts& wanted);

class Replay {
 public:
  Replay(const Fabric& fabric, Lfts now, const Lfts& wanted)
      : fabric_(fabric), now_(std::move(now)), wanted_(wanted) {}

  /// Writes the entries of the block of `op` for the LIDs with a bit in `lids`.
  void write(const Op& op, std::uint64_t lids);

  /// Executes all rounds. In each round the order of writes is drawn by `rng`, or is that of `ops`
  /// if `rng` is null.
  void play(const std::vector<Op>& ops, const TableRounds& rounds, Rng* rng);

  /// Number of loops that writes caused, counted for each LID.
  std::uint64_t loops() const { return loops_; }
  const Lfts& tables() const { return now_; }

 private:
  /// Whether a packet for the LID that leaves `start` returns to `start`. A loop that a write
  /// causes passes the written switch.
  bool loops(SwitchId start, Lid lid) const;

  const Fabric& fabric_;
  Lfts now_;
  const Lfts& wanted_;
  std::uint64_t loops_ = 0;
};

}  // namespace weft
