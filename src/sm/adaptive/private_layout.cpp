// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/private_layout.h"

#include <algorithm>

#include "ib/vendor/private_lfts_unconfirmed.h"

namespace weft {

std::optional<PrivateLayout> private_layout(const PrivateLftInfo& info, unsigned tables, Lid top) {
  constexpr unsigned kSizeMax = 96;  // of a table, in units
  constexpr unsigned kUnits = PrivateLftInfo::kLidsPerUnit / PrivateLftDefBlock::kLidsPerUnit;
  const unsigned size = top.value() / PrivateLftDefBlock::kLidsPerUnit + 1u;
  if (tables > info.tables() || tables > PrivateLftDefBlock::kTables || size > kSizeMax)
    return std::nullopt;
  const std::size_t modes = std::min<std::size_t>(info.mode_count, PrivateLftInfo::kModes);
  for (std::size_t m = 0; m < modes; ++m) {
    const unsigned in_bank = info.modes[m].bank_size * kUnits / size;  // tables of a bank
    if (in_bank * info.modes[m].banks < tables) continue;
    PrivateLayout layout{plft_unconfirmed::mode_number(m), {}};
    for (unsigned table = 0; table < tables; ++table)
      layout.tables.push_back({.force_sub_group_0 = false,
                               .bank = static_cast<std::uint8_t>(table / in_bank),
                               .size = static_cast<std::uint8_t>(size),
                               .offset = static_cast<std::uint8_t>(table % in_bank * size)});
    return layout;
  }
  return std::nullopt;
}

unsigned forwarding_tables_that_fit(const PrivateLftInfo& info, Lid top) {
  unsigned tables = kForwardingTablesMax;
  while (tables > 1 && !private_layout(info, tables, top)) --tables;
  return tables;
}

}  // namespace weft
