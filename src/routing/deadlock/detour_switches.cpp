// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/detour_switches.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace weft {

std::vector<SwitchId> detour_switches(const Fabric& fabric, const Trunks& trunks,
                                      std::size_t count) {
  using SortKey = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<std::pair<SortKey, SwitchId>> ranked;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (fabric.endports_at(SwitchId(s)).empty()) continue;
    std::uint32_t beyond = 0;
    for (std::uint32_t t = trunks.begin[s]; t < trunks.begin[s + 1]; ++t)
      beyond += trunks.degree(trunks.head[t]);
    ranked.push_back({{trunks.degree(s), beyond}, SwitchId(s)});
  }
  std::ranges::stable_sort(ranked, std::greater(), [](const auto& of) { return of.first; });
  std::vector<SwitchId> found;
  for (const auto& [key, sw] : ranked)
    if (found.size() < count) found.push_back(sw);
  return found;
}

}  // namespace weft
