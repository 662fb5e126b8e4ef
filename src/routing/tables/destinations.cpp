// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tables/destinations.h"

#include <algorithm>

#include "fabric/aggregation.h"
#include "routing/tables/rails.h"

namespace weft {
namespace {

/// Number of channels from a switch to switches that are no leaves: spines, if the switch is a
/// leaf. `leaves`: leaf_switches().
std::uint32_t channels_to_spines(const Fabric& fabric, const std::vector<bool>& leaves,
                                 SwitchId sw) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      fabric.channels_from(sw), [&](const Channel& c) { return !leaves[c.to.value()]; }));
}

}  // namespace

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
  const Rails rails = rails_of(fabric);
  const std::vector<bool> leaves = leaf_switches(fabric);
  std::vector<EndportId> ordered;
  std::uint64_t before = 0;  // hosts of earlier switches
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const SwitchId sw(s);
    const auto attached = fabric.endports_at(sw);
    const std::uint32_t spines = rails.count > 1 ? channels_to_spines(fabric, leaves, sw) : 0;
    order_by_rail(attached, rails.of[s], before, spines, attached.size(), ordered);
    for (const EndportId id : ordered) add(id);
    before += attached.size();
    add(Fabric::endport_of(sw));
  }
  return result;
}

}  // namespace weft
