// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/hoplanes/group_detours.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "routing/hoplanes/lane_plan.h"
#include "routing/hoplanes/loaded_trees.h"
#include "routing/tables/destinations.h"

namespace weft::hoplanes {
namespace {

/// Candidates for paths to a switch over a given sequence of groups, with as few hops as possible
/// within each group.
class GroupByGroup {
 public:
  GroupByGroup(const Fabric& fabric, const SwitchGroups& groups)
      : fabric_(fabric),
        groups_(groups),
        members_(groups.size.size()),
        hops_(fabric.switch_count()) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) members_[groups.of[s]].push_back(s);
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(members_.size()); }
  bool has_cable(std::uint32_t from, std::uint32_t to) const {
    return std::ranges::any_of(members_[from], [&](std::uint32_t s) {
      return std::ranges::any_of(fabric_.channels_from(SwitchId(s)), [&](const Channel& channel) {
        return groups_.of[channel.to.value()] == to;
      });
    });
  }

  void begin(SwitchId to, HopDag& dag) {
    dag.start(to);
    std::ranges::fill(hops_, HopDag::kUnreached);
    hops_[to.value()] = 0;
    reached_.assign(1, to.value());
    grow(1, dag);
  }
  /// Adds the paths of a group's switches to the next group, which must have been added. Returns
  /// false if some switch of the group has no path.
  bool add(std::uint32_t group, std::uint32_t next, HopDag& dag) {
    unsigned most = 0;
    for (const std::uint32_t s : members_[next]) most = std::max<unsigned>(most, hops_[s]);
    reached_.clear();
    for (const std::uint32_t s : members_[group]) {
      bool first = true;
      each_channel(s, [&](std::uint32_t channel, std::uint32_t to) {
        if (groups_.of[to] != next) return;
        if (first) dag.add_switch(s, most + 1);
        first = false;
        dag.add_next_hop(channel, to);
      });
      if (first) continue;
      hops_[s] = static_cast<std::uint16_t>(most + 1);
      reached_.push_back(s);
    }
    grow(reached_.size(), dag);
    return is_complete(group);
  }
  bool is_complete(std::uint32_t group) const {
    return std::ranges::none_of(members_[group],
                                [&](std::uint32_t s) { return hops_[s] == HopDag::kUnreached; });
  }

 private:
  template <class Body>
  void each_channel(std::uint32_t sw, const Body& body) const {
    const std::uint32_t first = fabric_.first_channel(SwitchId(sw)).value();
    const auto channels = fabric_.channels_from(SwitchId(sw));
    for (std::uint32_t i = 0; i < channels.size(); ++i) body(first + i, channels[i].to.value());
  }

  /// Searches breadth first from the switches in reached_ within their group, and adds the switches
  /// found to the DAG. The first `known` switches of reached_ are in the DAG already.
  void grow(std::size_t known, HopDag& dag) {
    for (std::size_t i = 0; i < reached_.size(); ++i)
      each_channel(reached_[i], [&](std::uint32_t, std::uint32_t to) {
        if (groups_.of[to] != groups_.of[reached_[i]] || hops_[to] != HopDag::kUnreached) return;
        hops_[to] = static_cast<std::uint16_t>(hops_[reached_[i]] + 1);
        reached_.push_back(to);
      });
    for (std::size_t i = known; i < reached_.size(); ++i) {
      const std::uint32_t s = reached_[i];
      dag.add_switch(s, hops_[s]);
      each_channel(s, [&](std::uint32_t channel, std::uint32_t to) {
        if (groups_.of[to] == groups_.of[s] && hops_[to] + 1u == hops_[s])
          dag.add_next_hop(channel, to);
      });
    }
  }

  const Fabric& fabric_;
  const SwitchGroups& groups_;
  std::vector<std::vector<std::uint32_t>> members_;  // by group
  std::vector<std::uint16_t> hops_;                  // by switch
  std::vector<std::uint32_t> reached_;               // switches of the last group, by hops
};

class GroupDetours {
 public:
  GroupDetours(const Fabric& fabric, const SwitchGroups& groups,
               std::span<const std::uint32_t> classes, std::span<const EndportId> ignored,
               Lfts& lfts)
      : fabric_(fabric),
        groups_(groups),
        lfts_(lfts),
        trees_(fabric, ignored),
        paths_(fabric, groups),
        class_(paths_.count()),
        cabled_(std::size_t{paths_.count()} * paths_.count()),
        used_(cabled_.size(), 0),
        used_instead_(cabled_.size() * kClassesMost, 0),
        of_port_(fabric.endport_count()) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) class_[groups.of[s]] = classes[s];
    for (std::uint32_t a = 0; a < paths_.count(); ++a)
      for (std::uint32_t b = 0; b < paths_.count(); ++b) cabled_[at(a, b)] = paths_.has_cable(a, b);
  }

  void run() {
    const auto order = destinations(fabric_);
    unsigned lids = 0;
    each_host(order, [&](SwitchId, const Endport& host) {
      trees_.count(lfts_, host.lid);
      lids = std::max(lids, lid_count(host));
    });
    for (unsigned offset = 1; offset < lids; ++offset)
      each_host(order, [&](SwitchId sw, const Endport& host) {
        if (offset < lid_count(host) && !route(sw, host, lid_at(host, offset)))
          for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
            lfts_.set(SwitchId(s), lid_at(host, offset), lfts_.port(SwitchId(s), host.lid));
      });
  }

 private:
  template <class Body>
  void each_host(std::span<const Destination> order, const Body& body) const {
    for (const Destination& destination : order)
      for (const EndportId id : destination.endports)
        if (const Endport& host = fabric_.endport(id); !fabric_.is_switch(host.node))
          body(destination.sw, host);
  }

  std::size_t at(std::uint32_t a, std::uint32_t b) const {
    return std::size_t{a} * paths_.count() + b;
  }

  bool route(SwitchId sw, const Endport& host, Lid lid) {
    const std::uint32_t own = groups_.of[sw.value()];
    auto& of_port = of_port_[fabric_.endport_of(host.lid).value()];
    const auto first = least_used(sw, of_port, class_[own]);
    if (!first) return false;
    auto second = least_used(sw, of_port, class_[*first]);
    if (second == first) second.reset();  // detours over a third group would need a further lane
    if (!make_paths(sw, *first, second)) return false;
    trees_.route(dag_, lid, lfts_);
    ++used_[at(own, *first)];
    if (second) ++used_instead_[at(own, *second) * kClassesMost + class_[*first]];
    of_port.push_back(*first);
    return true;
  }

  /// Each source group uses the first intermediate group if may_detour() allows it, else the
  /// second. The intermediate groups themselves, and groups for which may_detour() allows neither,
  /// use direct paths to the destination's group.
  bool make_paths(SwitchId sw, std::uint32_t first, std::optional<std::uint32_t> second) {
    const std::uint32_t own = groups_.of[sw.value()];
    paths_.begin(sw, dag_);
    if (!paths_.is_complete(own)) return false;
    for (const auto& direct : {std::optional(first), second})
      if (direct && !paths_.add(*direct, own, dag_)) return false;
    for (std::uint32_t group = 0; group < paths_.count(); ++group) {
      if (group == own || group == first || group == second) continue;
      const std::uint32_t next = may_detour(group, first, own)               ? first
                                 : second && may_detour(group, *second, own) ? *second
                                                                             : own;
      if (!paths_.add(group, next, dag_)) return false;
    }
    dag_.finish();
    return true;
  }

  /// An intermediate group must have another class than both ends, or a greater number than both.
  /// In the second case a packet that enters a group with a smaller number is in its destination
  /// group, so lanes rise no further.
  bool may_detour(std::uint32_t from, std::uint32_t over, std::uint32_t to) const {
    return cabled_[at(from, over)] &&
           ((class_[over] != class_[from] && class_[over] != class_[to]) ||
            (over > from && over > to));
  }

  /// Selects an intermediate group with a cable to the switch's group. A group of class `sources`
  /// is excluded, unless this is also the class of the switch's group. A group of the switch's
  /// class is excluded if its number is smaller. Groups that the port's other LIDs do not use are
  /// preferred, then the least used groups, then groups with a cable to the switch. Empty if there
  /// is none.
  std::optional<std::uint32_t> least_used(SwitchId sw, std::span<const std::uint32_t> of_port,
                                          std::uint32_t sources) const {
    const std::uint32_t own = groups_.of[sw.value()];
    std::vector<bool> is_adjacent(paths_.count(), false);
    for (const Channel& channel : fabric_.channels_from(sw))
      is_adjacent[groups_.of[channel.to.value()]] = true;
    std::optional<std::uint32_t> best;
    const auto key = [&](std::uint32_t group) {
      return std::tuple(
          std::ranges::count(of_port, group),
          used_[at(own, group)] + used_instead_[at(own, group) * kClassesMost + sources],
          !is_adjacent[group]);
    };
    for (std::uint32_t i = 1; i < paths_.count(); ++i) {
      const std::uint32_t group = (own + i) % paths_.count();
      if (!cabled_[at(group, own)] || (class_[group] == class_[own] && group < own) ||
          (class_[group] == sources && sources != class_[own]))
        continue;
      if (!best || key(group) < key(*best)) best = group;
    }
    return best;
  }

  const Fabric& fabric_;
  const SwitchGroups& groups_;
  Lfts& lfts_;
  LoadedTrees trees_;
  GroupByGroup paths_;
  HopDag dag_;
  std::vector<std::uint32_t> class_;         // by group
  std::vector<bool> cabled_;                 // by pair of groups, see at()
  std::vector<std::uint32_t> used_;          // number of LIDs by their group and intermediate group
  std::vector<std::uint32_t> used_instead_;  // as used_, for the second group, and by class
  std::vector<std::vector<std::uint32_t>> of_port_;  // by endport: first groups of its LIDs
};

}  // namespace

std::vector<std::uint32_t> group_classes(const SwitchGroups& groups) {
  std::vector<std::uint32_t> classes;
  for (const std::uint32_t group : groups.of) classes.push_back(group % kClassesMost);
  return classes;
}

void add_group_detours(const Fabric& fabric, const SwitchGroups& groups,
                       std::span<const std::uint32_t> classes, std::span<const EndportId> ignored,
                       Lfts& lfts) {
  GroupDetours(fabric, groups, classes, ignored, lfts).run();
}

}  // namespace weft::hoplanes
