// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dfp/detours.h"

#include <algorithm>
#include <vector>

#include "fabric/aggregation.h"
#include "routing/dfp/escalation.h"
#include "routing/tables/destinations.h"

namespace weft::dfp {
namespace {

class Detours {
 public:
  Detours(const Fabric& fabric, const SwitchGroups& groups, DetourRule rule, Lfts& lfts)
      : fabric_(fabric),
        groups_(groups),
        rule_(rule),
        lfts_(lfts),
        members_(groups.size.size()),
        adjacent_(groups.size.size(), std::vector<bool>(groups.size.size(), false)) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) members_[groups.of[s]].push_back(s);
    for (const Channel& channel : fabric.channels())
      adjacent_[groups.of[channel.from.value()]][groups.of[channel.to.value()]] = true;
  }

  void run() {
    for (const Endport& to : fabric_.endports()) {
      if (!to.addressed() || fabric_.is_switch(to.node)) continue;
      for (unsigned offset = 1; offset < lid_count(to); ++offset)
        if (!route_over_group(to, lid_at(to, offset))) copy_entries(to, lid_at(to, offset));
    }
  }

 private:
  /// Routes the LID over a switch of each intermediate group. Returns false if such a switch has no
  /// LID, or if the LID is then not reachable.
  bool route_over_group(const Endport& to, Lid lid) {
    const std::uint32_t own = groups_.of[to.sw.value()];
    const auto over = groups_between(own, lid);
    std::vector<Lid> via;
    for (const std::uint32_t group : over) {
      const auto& there = members_[group];
      const SwitchId sw(there[to.lid.value() % there.size()]);
      via.push_back(fabric_.endport(Fabric::endport_of(sw)).lid);
      if (via.back() == kLidNone) return false;
    }
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const std::uint32_t here = groups_.of[s];
      Lid copied = to.lid;
      if (std::ranges::find(over, here) == over.end())
        for (std::size_t i = over.size(); i-- > 0;)
          if (may_detour(here, over[i], own)) copied = via[i];
      lfts_.set(SwitchId(s), lid, lfts_.port(SwitchId(s), copied));
    }
    return is_reachable(to, lid);
  }

  void copy_entries(const Endport& to, Lid lid) {
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      lfts_.set(SwitchId(s), lid, lfts_.port(SwitchId(s), to.lid));
  }

  bool may_detour(std::uint32_t from, std::uint32_t over, std::uint32_t own) const {
    if (from == own || !adjacent_[from][over]) return false;
    if (rule_ == DetourRule::kHigherThanBoth) return from < over && own < over;
    return from < over || (own < over && !groups_.plus);
  }

  /// Returns a group that is adjacent to the group of the port and is selected by the LID, and such
  /// a group with a higher number for sources that may not use the first group. Either group may be
  /// missing.
  std::vector<std::uint32_t> groups_between(std::uint32_t own, Lid lid) const {
    std::vector<std::uint32_t> found;
    const auto search = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = 0; i < end - begin; ++i) {
        const std::uint32_t group = begin + (lid.value() + i) % (end - begin);
        if (group == own || !adjacent_[group][own]) continue;
        found.push_back(group);
        return;
      }
    };
    const auto count = static_cast<std::uint32_t>(members_.size());
    search(0, count);
    if (!found.empty()) search(found[0] + 1, count);
    return found;
  }

  /// Whether the LID is reachable from every switch from which the first LID of the port is
  /// reachable.
  bool is_reachable(const Endport& to, Lid lid) const {
    std::vector<std::uint8_t> known(fabric_.switch_count(), 0);
    known[to.sw.value()] = 1;
    std::vector<std::uint32_t> path;
    for (std::uint32_t s = 0; s < known.size(); ++s) {
      if (lfts_.port(SwitchId(s), to.lid) == kNoRoute) continue;
      path.clear();
      std::uint32_t at = s;
      while (known[at] == 0) {
        const ChannelId next = fabric_.channel_at(SwitchId(at), lfts_.port(SwitchId(at), lid));
        if (next == kNoChannel || path.size() > known.size()) return false;
        path.push_back(at);
        at = fabric_.channel(next).to.value();
      }
      for (const std::uint32_t passed : path) known[passed] = 1;
    }
    return true;
  }

  const Fabric& fabric_;
  const SwitchGroups& groups_;
  DetourRule rule_;
  Lfts& lfts_;
  std::vector<std::vector<std::uint32_t>> members_;  // by group
  std::vector<std::vector<bool>> adjacent_;  // by pair of groups: whether a cable connects them
};

}  // namespace

void add_detours(const Fabric& fabric, const SwitchGroups& groups, DetourRule rule, Lfts& lfts) {
  Detours(fabric, groups, rule, lfts).run();
}

void drop_irregular_detours(const Fabric& fabric, const SwitchGroups& groups, bool includes_spines,
                            Lfts& lfts) {
  const Turns turns(fabric);
  const std::vector<bool> leaves = leaf_switches(fabric);
  std::vector<std::vector<std::uint32_t>> members(groups.size.size());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) members[groups.of[s]].push_back(s);
  // Removes the detours from the group of `from` to the LIDs at `to`. Returns whether an entry
  // changed.
  const auto drop = [&](SwitchId from, SwitchId to) {
    bool changed = false;
    for (const EndportId id : fabric.endports_at(to)) {
      const Endport& endport = fabric.endport(id);
      if (!endport.addressed()) continue;
      for (unsigned i = 1; i < lid_count(endport); ++i)
        for (const std::uint32_t s : members[groups.of[from.value()]]) {
          const PortNum direct = lfts.port(SwitchId(s), endport.lid);
          changed = changed || lfts.port(SwitchId(s), lid_at(endport, i)) != direct;
          lfts.set(SwitchId(s), lid_at(endport, i), direct);
        }
    }
    return changed;
  };
  for (bool changed = true; changed;) {
    changed = false;
    Escalation escalation(fabric, turns, groups, kLanesForDetours);
    escalation.add_traffic(lfts);
    for (const auto& [from, lid] : escalation.irregular_packets(lfts)) {
      const SwitchId to = fabric.endport(fabric.endport_of(lid)).sw;
      if (groups.of[from.value()] == groups.of[to.value()]) continue;
      const bool of_spine = !leaves[from.value()] || !leaves[to.value()];
      if (of_spine && !includes_spines) continue;
      const bool there = drop(from, to);
      const bool back = drop(to, from);
      changed = changed || there || back;
    }
  }
}

}  // namespace weft::dfp
