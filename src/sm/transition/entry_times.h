// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When forwarding-table entries change during an update: the round of each entry that differs, from
// an order of writes (table_order.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "sm/programming/diff.h"

namespace weft {

/// What a packet may find at a switch: the old entry, the new one, or either.
enum class EntryState : std::uint8_t { kOld, kNew, kBoth };

class EntryTimes {
 public:
  /// `ops`, `rounds`: the order of writes; `lids`: LIDs with entries that differ. Entries without a
  /// write stay old. Memory: two bytes for each switch and each of `lids`.
  EntryTimes(const Fabric& fabric, std::span<const Op> ops, const TableRounds& rounds,
             std::span<const Lid> lids);

  std::uint32_t rounds() const { return rounds_; }
  /// The state of the entry of one of `lids` during a round.
  EntryState during(std::uint32_t round, SwitchId sw, Lid lid) const {
    const std::uint16_t written = round_[row_[lid.value()] + sw.value()];
    if (written == round) return EntryState::kBoth;
    return written < round ? EntryState::kNew : EntryState::kOld;
  }

 private:
  static constexpr std::uint16_t kNever = 0xFFFF;

  std::uint32_t rounds_;
  std::vector<std::uint32_t> row_;    // by LID: begin of its entries in round_
  std::vector<std::uint16_t> round_;  // by changed LID and switch
};

}  // namespace weft
