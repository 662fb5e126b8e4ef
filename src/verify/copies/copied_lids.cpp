// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/copies/copied_lids.h"

namespace weft {

std::uint64_t count_differing_copies(const Routes& routes, std::span<const LidCopy> copies) {
  const Lfts& lfts = routes.lfts;
  const auto differs = [&](SwitchId sw, const LidCopy& copy) {
    if (lfts.port(sw, copy.lid) != lfts.port(sw, copy.of)) return true;
    if (!routes.adaptive) return false;
    for (unsigned number = 0; number < routes.adaptive->table_count(); ++number) {
      const ArTables& table = routes.adaptive->table(number);
      if (table.entry(sw, copy.lid) != table.entry(sw, copy.of)) return true;
    }
    const GroupNumbers& numbers = routes.adaptive->numbers();
    return numbers.number(copy.lid) != numbers.number(copy.of);
  };
  std::uint64_t count = 0;
  for (std::uint32_t s = 0; s < lfts.switch_count(); ++s)
    for (const LidCopy& copy : copies) count += differs(SwitchId(s), copy) ? 1 : 0;
  return count;
}

}  // namespace weft
