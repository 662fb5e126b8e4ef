// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tables/destinations.h"

#include <algorithm>

namespace weft {

std::vector<Destination> destinations(const Fabric& fabric, std::span<const EndportId> first) {
  std::vector<Destination> result;
  std::vector<std::uint32_t> place(fabric.switch_count(), fabric.switch_count());
  std::vector<bool> taken(fabric.endport_count(), false);
  const auto at = [&](SwitchId sw) -> Destination& {
    if (place[sw.value()] == fabric.switch_count()) {
      place[sw.value()] = static_cast<std::uint32_t>(result.size());
      result.push_back({sw, {}});
    }
    return result[place[sw.value()]];
  };
  const auto add = [&](EndportId id) {
    const Endport& endport = fabric.endport(id);
    if (taken[id.value()] || !endport.addressed()) return;
    taken[id.value()] = true;
    at(endport.sw).endports.push_back(id);
  };
  for (const EndportId id : first)
    if (!fabric.is_switch(fabric.endport(id).node)) add(id);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    for (const EndportId id : fabric.endports_at(SwitchId(s))) add(id);
    add(Fabric::endport_of(SwitchId(s)));
  }
  return result;
}

}  // namespace weft
