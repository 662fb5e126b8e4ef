// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The times of changes of forwarding-table entries during an update: the round of each entry that
// differs, for an order of writes (table_order.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "sm/programming/diff.h"

namespace weft {

/// Which entry a packet may use at a switch: the old entry, the new entry, or either.
enum class EntryState : std::uint8_t { kOld, kNew, kBoth };

class EntryTimes {
 public:
  /// `ops`, `rounds`: the order of writes; `lids`: LIDs with entries that differ. Entries that are
  /// not written stay old. Memory: two bytes for each pair of a switch and a LID of `lids`.
  EntryTimes(const Fabric& fabric, std::span<const Op> ops, const TableRounds& rounds,
             std::span<const Lid> lids);

  std::uint32_t rounds() const { return rounds_; }
  /// The state of the entry for a LID of `lids` during a round.
  EntryState during(std::uint32_t round, SwitchId sw, Lid lid) const {
    const std::uint16_t written = round_[row_[lid.value()] + sw.value()];
    if (written == round) return EntryState::kBoth;
    return written < round ? EntryState::kNew : EntryState::kOld;
  }

 private:
  static constexpr std::uint16_t kNever = 0xFFFF;

  std::uint32_t rounds_;
  std::vector<std::uint32_t> row_;    // by LID: index of its first entry in round_
  std::vector<std::uint16_t> round_;  // by changed LID and switch
};

}  // namespace weft
