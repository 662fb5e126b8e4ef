// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/membership.h"

#include <map>
#include <set>

#include "routing/shapes/ranks.h"

namespace weft::multicast {

Membership::Membership(const Fabric& fabric)
    : fabric_(fabric), parts_(switches_by_part(fabric)), part_of_(fabric.switch_count()) {
  for (std::size_t p = 0; p < parts_.size(); ++p)
    for (const SwitchId sw : parts_[p]) part_of_[sw.value()] = p;
}

std::vector<std::vector<Demand>> Membership::of(const MulticastGroup& group) const {
  std::map<SwitchId, Demand> at;
  const auto add = [&](EndportId id, std::uint32_t receivers) {
    const SwitchId sw = fabric_.endport(id).sw;
    if (sw == kNoSwitch) return;
    Demand& demand = at[sw];
    demand.sw = sw;
    demand.receivers += receivers;
    ++demand.senders;
  };
  for (const EndportId id : group.members) add(id, 1);
  for (const EndportId id : group.senders) add(id, 0);
  std::vector<std::vector<Demand>> result(parts_.size());
  for (const auto& [sw, demand] : at) result[part_of_[sw.value()]].push_back(demand);
  return result;
}

std::vector<std::vector<Demand>> Membership::with_all_hosts(
    std::span<const MulticastGroup> groups) const {
  MulticastGroup all;
  std::set<EndportId> members;
  for (std::uint32_t e = fabric_.switch_count(); e < fabric_.endport_count(); ++e)
    members.insert(EndportId(e));
  for (const MulticastGroup& group : groups)
    for (const auto* list : {&group.members, &group.senders})
      members.insert(list->begin(), list->end());
  all.members.assign(members.begin(), members.end());
  return of(all);
}

MulticastGroup all_endports(const Fabric& fabric) {
  MulticastGroup group;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) group.members.push_back(EndportId(e));
  return group;
}

}  // namespace weft::multicast
