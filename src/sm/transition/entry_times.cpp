// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/transition/entry_times.h"

#include <algorithm>
#include <optional>

#include "routes/lfts.h"

namespace weft {

EntryTimes::EntryTimes(const Fabric& fabric, std::span<const Op> ops, const TableRounds& rounds,
                       std::span<const Lid> lids)
    : rounds_(rounds.ends.empty() ? 1 : static_cast<std::uint32_t>(rounds.ends.size())) {
  std::vector<std::optional<std::uint32_t>> rows(std::size_t{fabric.lid_top().value()} + kLftBlock +
                                                 1);
  row_.resize(rows.size());
  for (const Lid lid : lids) {
    rows[lid.value()] = row_[lid.value()] = static_cast<std::uint32_t>(round_.size());
    round_.resize(round_.size() + fabric.switch_count(), kNever);
  }
  std::uint32_t round = 0;
  auto part = rounds.parts.begin();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    while (!rounds.ends.empty() && i >= rounds.ends[round]) ++round;
    std::uint64_t of_block = ~std::uint64_t{0};
    if (part != rounds.parts.end() && part->op == i) of_block = (part++)->lids;
    const std::size_t first = std::size_t{ops[i].index} * kLftBlock;
    for (std::size_t lid = first; lid < std::min(first + kLftBlock, rows.size()); ++lid)
      if (rows[lid] && (of_block >> (lid - first) & 1) != 0)
        round_[*rows[lid] + ops[i].node] = static_cast<std::uint16_t>(round);
  }
}

}  // namespace weft
