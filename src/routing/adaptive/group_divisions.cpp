// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/group_divisions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "fabric/link_rates.h"
#include "ib/adaptive_unconfirmed.h"
#include "routing/adaptive/flow_shares.h"

namespace weft {
namespace {

constexpr double kLeastGain = 1.125;
constexpr double kEqual = 1 + 1e-9;
constexpr double kNoFlow = 1e-9;

/// The mean of the flows, divided by the least flow, which is the last. If the traffic is divided
/// equally among the ports, this is the overload of the port with the least flow.
double overload(std::span<const std::pair<PortNum, double>> flows) {
  double sum = 0;
  for (const auto& [port, flow] : flows) sum += flow;
  return sum / static_cast<double>(flows.size()) / std::max(flows.back().second, kNoFlow);
}

/// The division of a group at a switch for the LIDs of one leaf.
struct LeafDivision {
  SwitchId sw;
  std::uint16_t group = 0;
  GroupDivision division;
};

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

std::vector<LeafDivision> divisions_toward(const Fabric& fabric,
                                           std::span<const std::uint32_t> rates,
                                           std::span<const SwitchId> switches, const Routes& routes,
                                           SwitchId leaf) {
  std::vector<LeafDivision> found;
  const auto ends = fabric.endports_at(leaf);
  const auto addressed =
      std::ranges::find_if(ends, [&](EndportId id) { return fabric.endport(id).addressed(); });
  if (addressed == ends.end()) return found;
  const Lid lid = fabric.endport(*addressed).lid;
  const auto shares = flow_shares(fabric, rates, routes, leaf, lid);
  if (!shares) return found;
  for (const SwitchId sw : switches) {
    const PortMask* group = routes.adaptive->group_of(sw, lid);
    if (group == nullptr || sw == leaf || shares->reached[sw.value()] == 0) continue;
    std::vector<std::pair<PortNum, double>> flows;
    for_each_port(*group, [&](PortNum port) {
      const ChannelId channel = fabric.channel_at(sw, port);
      if (channel != kNoChannel) flows.emplace_back(port, shares->of_channel[channel.value()]);
    });
    if (const auto division = best_division(flows))
      found.push_back({sw, routes.adaptive->entry(sw, lid).group, *division});
  }
  return found;
}

/// By leaf, the divisions of groups toward the leaf.
using DivisionsByLeaf = std::vector<std::vector<LeafDivision>>;

/// Assigns the divisions of one switch to its groups and to new groups; apply() returns false if
/// the new groups exceed the capacity of the switch.
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

  bool apply(std::size_t capacity, ArTables& tables) const {
    const std::size_t before = tables.groups(sw_).size();
    std::map<Key, std::uint16_t> number_of;
    std::vector<std::uint8_t> is_used(before, 0);  // by group, 1: without or with a division
    each_entry(tables, [&](Lid, ArEntry entry, const LeafDivision* of) {
      if (of == nullptr)
        is_used[entry.group] = 1;
      else
        number_of.emplace(key(*of), std::uint16_t{0});
    });
    std::size_t next = before;
    std::vector<GroupDivision> divisions(before);
    std::vector<std::uint16_t> parents;
    for (auto& [of, number] : number_of) {
      if (is_used[of.group] == 0) {
        is_used[of.group] = 1;
        number = of.group;
        divisions[number] = of.division();
        continue;
      }
      number = static_cast<std::uint16_t>(next++);
      divisions.push_back(of.division());
      parents.push_back(of.group);
    }
    if (next > capacity) return false;
    for (const std::uint16_t parent : parents) {
      const PortMask ports = tables.groups(sw_)[parent];
      tables.add_group(sw_, ports);
    }
    each_entry(tables, [&](Lid lid, ArEntry entry, const LeafDivision* of) {
      if (of != nullptr) tables.set(sw_, lid, {entry.state, number_of.at(key(*of))});
    });
    tables.divide(sw_, std::move(divisions));
    return true;
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

std::optional<GroupDivision> best_division(std::span<const std::pair<PortNum, double>> given) {
  std::vector<std::pair<PortNum, double>> flows(given.begin(), given.end());
  std::ranges::stable_sort(flows, std::ranges::greater{}, [](const auto& of) { return of.second; });
  std::size_t best = 0;
  double least = 0;
  for (std::size_t cut = 1; cut < flows.size(); ++cut) {
    if (flows[cut - 1].second <= flows[cut].second * kEqual) continue;
    const auto all = std::span<const std::pair<PortNum, double>>(flows);
    const double found = std::max(overload(all.first(cut)), overload(all.subspan(cut)));
    if (best == 0 || found * kEqual < least) {
      best = cut;
      least = found;
    }
  }
  if (best == 0 || overload(flows) < least * kLeastGain) return std::nullopt;
  GroupDivision division;
  double sum = 0, of_second = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    sum += flows[i].second;
    if (i < best) continue;
    of_second += flows[i].second;
    division.second.set(flows[i].first.value());
  }
  constexpr long kSum = ar_unconfirmed::kWeightSum;
  const long second = std::clamp(std::lround(kSum * of_second / sum), 1L, kSum - 1);
  division.first_weight = static_cast<std::uint8_t>(kSum - second);
  division.second_weight = static_cast<std::uint8_t>(second);
  return division;
}

void divide_groups(const Fabric& fabric, const AdaptiveOptions& options, unsigned threads,
                   Routes& routes) {
  if (options.asymmetric == AsymmetricFlow::kOff) return;
  ArTables& tables = *routes.adaptive;
  const std::vector<SwitchId> switches = dividing_switches(fabric, options, tables);
  if (switches.empty()) return;
  const std::vector<std::uint32_t> rates = channel_rates(fabric);
  DivisionsByLeaf by_leaf(fabric.switch_count());
  const unsigned used =
      threads_worth(std::uint64_t{fabric.switch_count()} * fabric.channel_count(), threads);
  parallel_for(fabric.switch_count(), used, [&](std::size_t s) {
    const SwitchId leaf(static_cast<std::uint32_t>(s));
    by_leaf[s] = divisions_toward(fabric, rates, switches, routes, leaf);
  });
  std::size_t full = 0;
  for (const SwitchId sw : switches) {
    const SwitchDivision division(fabric, sw, by_leaf);
    if (!division.is_divided()) continue;
    const std::size_t capacity =
        options.group_capacity.empty()
            ? kArGroupsMax
            : std::min<std::size_t>(options.group_capacity[sw.value()], kArGroupsMax);
    if (!division.apply(capacity, tables)) ++full;
  }
  if (full > 0)
    routes.notes.push_back(fmt::format(
        "adaptive routing: the groups of {} switches are not divided by the capacity of paths, "
        "because the switches cannot store the additional groups",
        full));
}

}  // namespace weft
