// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/detour_switches.h"

#include <algorithm>
#include <utility>

namespace weft {

std::vector<SwitchId> detour_switches(const Fabric& fabric, std::size_t count) {
  std::vector<std::vector<SwitchId>> neighbours(fabric.switch_count());  // each once
  std::vector<SwitchId> found;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    auto& list = neighbours[s];
    for (const Channel& channel : fabric.channels_from(sw)) list.push_back(channel.to);
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (!fabric.endports_at(sw).empty()) found.push_back(sw);
  }
  const auto rank = [&](SwitchId sw) {
    std::size_t beyond = 0;
    for (const SwitchId next : neighbours[sw.value()]) beyond += neighbours[next.value()].size();
    return std::pair(neighbours[sw.value()].size(), beyond);
  };
  std::vector<std::pair<std::size_t, std::size_t>> ranks(fabric.switch_count());
  for (const SwitchId sw : found) ranks[sw.value()] = rank(sw);
  std::ranges::stable_sort(found, std::ranges::greater(),
                           [&](SwitchId sw) { return ranks[sw.value()]; });
  found.resize(std::min(found.size(), count));
  return found;
}

}  // namespace weft
