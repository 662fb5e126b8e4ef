// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/group_divisions.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "routing/divisions/leaf_divisions.h"

namespace weft {
namespace {

/// The divisions are computed again without the switches that cannot store theirs, up to this
/// number of times; then they are only omitted at these switches.
constexpr std::size_t kRoundsMax = 8;

/// The switches at which groups may be divided.
std::vector<SwitchId> dividing_switches(const Fabric& fabric, const AdaptiveOptions& options,
                                        const ArTables& tables) {
  const std::vector<bool> divides = switches_with_division(options.asymmetric, fabric);
  std::vector<SwitchId> found;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (tables.is_set(SwitchId(s)) && divides[s] &&
        (options.divides.empty() || options.divides[s] != 0))
      found.push_back(SwitchId(s));
  return found;
}

std::size_t capacity_at(const AdaptiveOptions& options, SwitchId sw) {
  return options.group_capacity.empty()
             ? kArGroupsMax
             : std::min<std::size_t>(options.group_capacity[sw.value()], kArGroupsMax);
}

/// Assigns the divisions of one switch to its groups and to new groups.
class SwitchDivision {
 public:
  SwitchDivision(const Fabric& fabric, SwitchId sw, const DivisionsByLeaf& by_leaf)
      : fabric_(fabric), sw_(sw), of_leaf_(by_leaf.size(), nullptr) {
    for (std::size_t leaf = 0; leaf < by_leaf.size(); ++leaf) {
      const auto found = std::ranges::find(by_leaf[leaf], sw, &LeafDivision::sw);
      if (found == by_leaf[leaf].end()) continue;
      of_leaf_[leaf] = &*found;
      is_divided_ = true;
    }
  }
  bool is_divided() const { return is_divided_; }

  /// Whether the groups, with the new groups, do not exceed the capacity of the switch.
  bool fits(std::size_t capacity, const ArTables& tables) const {
    return number_groups(tables).divisions.size() <= capacity;
  }

  void apply(ArTables& tables) const {
    Numbers numbers = number_groups(tables);
    for (const std::uint16_t parent : numbers.parents) {
      const PortMask ports = tables.groups(sw_)[parent];
      tables.add_group(sw_, ports);
    }
    each_entry(tables, [&](Lid lid, ArEntry entry, const LeafDivision* of) {
      if (of != nullptr) tables.set(sw_, lid, {entry.state, numbers.of.at(key(*of))});
    });
    tables.divide(sw_, std::move(numbers.divisions));
  }

 private:
  /// A group with a division. The order of keys depends on the values only.
  struct Key {
    std::uint16_t group = 0;
    std::string second;
    std::uint8_t first_weight = 0, second_weight = 0;
    auto operator<=>(const Key&) const = default;
    GroupDivision division() const { return {PortMask(second), first_weight, second_weight}; }
  };
  static Key key(const LeafDivision& of) {
    return {of.group, of.division.second.to_string(), of.division.first_weight,
            of.division.second_weight};
  }

  struct Numbers {
    std::map<Key, std::uint16_t> of;       // group numbers
    std::vector<GroupDivision> divisions;  // by group, new groups included
    std::vector<std::uint16_t> parents;    // of the new groups: the groups with the same ports
  };
  /// Assigns a number to each group with a division: the number of the group itself, if all its
  /// LIDs have this division, or a new one.
  Numbers number_groups(const ArTables& tables) const {
    Numbers numbers;
    numbers.divisions.resize(tables.groups(sw_).size());
    std::vector<std::uint8_t> is_used(numbers.divisions.size(), 0);  // by group
    each_entry(tables, [&](Lid, ArEntry entry, const LeafDivision* of) {
      if (of == nullptr)
        is_used[entry.group] = 1;
      else
        numbers.of.emplace(key(*of), std::uint16_t{0});
    });
    for (auto& [of, number] : numbers.of) {
      if (is_used[of.group] == 0) {
        is_used[of.group] = 1;
        number = of.group;
        numbers.divisions[number] = of.division();
        continue;
      }
      number = static_cast<std::uint16_t>(numbers.divisions.size());
      numbers.divisions.push_back(of.division());
      numbers.parents.push_back(of.group);
    }
    return numbers;
  }

  /// Calls body(lid, entry, division or null) for each adaptive entry.
  template <class Body>
  void each_entry(const ArTables& tables, const Body& body) const {
    for (std::uint32_t l = 1; l <= fabric_.lid_top().value(); ++l) {
      const Lid lid(static_cast<std::uint16_t>(l));
      const ArEntry entry = tables.entry(sw_, lid);
      if (entry.state == ArState::kStatic) continue;
      const EndportId owner = fabric_.endport_of(lid);
      const SwitchId leaf = owner == kNoEndport ? kNoSwitch : fabric_.endport(owner).sw;
      const LeafDivision* of = leaf == kNoSwitch ? nullptr : of_leaf_[leaf.value()];
      body(lid, entry, of != nullptr && of->group == entry.group ? of : nullptr);
    }
  }

  const Fabric& fabric_;
  const SwitchId sw_;
  std::vector<const LeafDivision*> of_leaf_;  // by SwitchId
  bool is_divided_ = false;
};

}  // namespace

std::vector<bool> switches_with_division(AsymmetricFlow where, const Fabric& fabric) {
  if (where == AsymmetricFlow::kLeaves) return leaf_switches(fabric);
  return std::vector<bool>(fabric.switch_count(), where == AsymmetricFlow::kAll);
}

void divide_groups(const Fabric& fabric, const AdaptiveOptions& options, unsigned threads,
                   Routes& routes) {
  if (options.asymmetric == AsymmetricFlow::kOff) return;
  ArTables& tables = *routes.adaptive;
  const std::vector<SwitchId> switches = dividing_switches(fabric, options, tables);
  if (switches.empty()) return;
  std::vector<bool> divides(fabric.switch_count(), false);
  for (const SwitchId sw : switches) divides[sw.value()] = true;
  const unsigned used =
      threads_worth(std::uint64_t{fabric.switch_count()} * fabric.channel_count(), threads);
  DivisionsByLeaf by_leaf;
  std::size_t full = 0;
  for (std::size_t new_full = 1, round = 0; new_full > 0; full += new_full) {
    new_full = 0;
    if (round++ < kRoundsMax) by_leaf = best_divisions(fabric, divides, routes, used);
    for (const SwitchId sw : switches) {
      if (!divides[sw.value()]) continue;
      const SwitchDivision division(fabric, sw, by_leaf);
      if (!division.is_divided() || division.fits(capacity_at(options, sw), tables)) continue;
      divides[sw.value()] = false;
      ++new_full;
    }
  }
  for (const SwitchId sw : switches) {
    const SwitchDivision division(fabric, sw, by_leaf);
    if (divides[sw.value()] && division.is_divided()) division.apply(tables);
  }
  if (full > 0)
    routes.notes.push_back(fmt::format(
        "adaptive routing: the groups of {} switches are not divided into sub-groups with weights, "
        "because the switches cannot store the additional groups",
        full));
}

}  // namespace weft
