// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "exports/hostlist.h"
#include "report/layout.h"
#include "report/switch_graph.h"

namespace weft {
namespace {

/// By switch: number of the component that contains the switch at one level; kNoComponent: no
/// component contains it.
using SwitchClasses = std::vector<std::uint32_t>;

// ---- Levels ----

/// Hop count to the nearest full leaf: a switch with at least half as many hosts as any other
/// switch of its connected part.
std::vector<std::uint32_t> levels_above_leaves(const SwitchGraph& graph,
                                               const SwitchComponents& parts) {
  std::vector<std::uint32_t> most(parts.count, 0);
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    most[parts.of[s]] = std::max(most[parts.of[s]], graph.hosts[s]);
  std::vector<std::uint32_t> level(graph.size(), kNoComponent);
  std::vector<std::uint32_t> row;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (graph.hosts[s] > 0 && 2 * graph.hosts[s] >= most[parts.of[s]]) {
      level[s] = 0;
      row.push_back(s);
    }
  for (std::size_t head = 0; head < row.size(); ++head)
    for (const SwitchGraph::Edge& edge : graph.of(row[head]))
      if (level[edge.to] == kNoComponent) {
        level[edge.to] = level[row[head]] + 1;
        row.push_back(edge.to);
      }
  return level;
}

SwitchComponents below(const SwitchGraph& graph, const std::vector<std::uint32_t>& level,
                       std::uint32_t highest) {
  std::vector<bool> keep(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s) keep[s] = level[s] <= highest;
  return components(graph, &keep);
}

/// Assigns level 0 to leaves with few hosts or none; by hop count they are at level 2, like top
/// switches. Such a switch is a leaf if all its neighbors are switches of level 1 of a single pod,
/// since a top switch connects several pods. With a single pod, a switch without hosts is no leaf.
void lower_small_leaves(const SwitchGraph& graph, std::vector<std::uint32_t>& level) {
  const SwitchComponents pods = below(graph, level, 1);
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (level[s] != 2 || (graph.hosts[s] == 0 && pods.count == 1)) continue;
    std::set<std::uint32_t> touched;
    bool only_pods = true;
    for (const SwitchGraph::Edge& edge : graph.of(s)) {
      only_pods = only_pods && pods.of[edge.to] != kNoComponent && level[edge.to] == 1;
      touched.insert(pods.of[edge.to]);
    }
    if (only_pods && touched.size() == 1) level[s] = 0;
  }
}

/// Whether the fabric is a tree: at most a sixth of the cables connect switches of the same level.
/// In a torus or a dragonfly most cables do.
bool is_tree(const SwitchGraph& graph, const std::vector<std::uint32_t>& level) {
  std::uint64_t flat = 0, all = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const SwitchGraph::Edge& edge : graph.of(s)) {
      all += edge.cables;
      if (level[s] == level[edge.to]) flat += edge.cables;
    }
  return all > 0 && flat * 6 <= all;
}

/// The classes of switches by level, from the finest to the coarsest; the classes of the last level
/// are the connected parts of the fabric. Sets `shape` and the levels of the switches.
std::vector<SwitchClasses> classes_by_level(const SwitchGraph& graph, std::string& shape,
                                            std::vector<std::uint32_t>& level) {
  const SwitchComponents parts = components(graph);
  std::vector<SwitchClasses> result;
  level = levels_above_leaves(graph, parts);
  lower_small_leaves(graph, level);
  if (is_tree(graph, level)) {
    std::uint32_t highest = 0;
    for (const std::uint32_t own_level : level)
      if (own_level != kNoComponent) highest = std::max(highest, own_level);
    shape = fmt::format("tree of {} levels", highest + 1);
    for (std::uint32_t k = 1; k < highest; ++k) result.push_back(below(graph, level, k).of);
  } else {
    const Layout layout = lay_out(graph);
    const bool grouped = layout.shape == Shape::kGroups && layout.group.size() == graph.size();
    shape = grouped ? "groups" : graph.size() == 1 ? "one switch" : "irregular";
    if (grouped && parts.count == 1) result.push_back(layout.group);
    level.assign(graph.size(), 1);
  }
  result.push_back(parts.of);
  return result;
}

// ---- Units ----

/// Hosts that are cabled to the same set of leaves.
struct LeafSet {
  std::vector<SwitchId> leaves;
  std::vector<std::string> hosts;
};

std::vector<LeafSet> leaf_sets(const std::vector<Host>& hosts) {
  std::map<std::vector<SwitchId>, std::vector<std::string>> by_leaves;
  for (const Host& host : hosts) by_leaves[host.leaves].push_back(host.name);
  std::vector<LeafSet> sets;
  sets.reserve(by_leaves.size());
  for (auto& [leaves, names] : by_leaves) sets.push_back({leaves, std::move(names)});
  std::ranges::stable_sort(sets, std::ranges::greater(),
                           [](const LeafSet& set) { return set.leaves.size() * set.hosts.size(); });
  return sets;
}

/// Makes units of leaf sets, in the order of leaf_sets(). A set joins the earlier unit that
/// contains at least half of its leaves; if there is none, the set becomes a unit.
std::vector<HostUnit> units_of(const std::vector<Host>& hosts, std::size_t switches) {
  std::vector<HostUnit> units;
  std::vector<std::uint32_t> owner(switches, kNoGroup);
  for (LeafSet& set : leaf_sets(hosts)) {
    std::map<std::uint32_t, std::size_t> shared;
    for (const SwitchId leaf : set.leaves)
      if (owner[leaf.value()] != kNoGroup) ++shared[owner[leaf.value()]];
    const auto best =
        std::ranges::max_element(shared, {}, [](const auto& one) { return one.second; });
    std::uint32_t unit = static_cast<std::uint32_t>(units.size());
    if (best != shared.end() && 2 * best->second >= set.leaves.size()) {
      unit = best->first;
    } else {
      units.emplace_back().leaves = set.leaves;
    }
    units[unit].hosts.insert(units[unit].hosts.end(), set.hosts.begin(), set.hosts.end());
    for (const SwitchId leaf : set.leaves) {
      if (owner[leaf.value()] != kNoGroup) continue;
      owner[leaf.value()] = unit;
      if (std::ranges::find(units[unit].leaves, leaf) == units[unit].leaves.end())
        units[unit].leaves.push_back(leaf);
    }
  }
  return units;
}

std::string until_dot(const std::string& name) { return name.substr(0, name.find('.')); }

/// Names units: "lf01-to-lf08" for leaves "lf01.rack3" to "lf08.rack3".
void name_units(std::vector<HostUnit>& units, const std::vector<std::string>& switch_names) {
  std::set<std::string> taken(switch_names.begin(), switch_names.end());
  for (HostUnit& unit : units) {
    std::ranges::sort(unit.leaves, natural_less,
                      [&](SwitchId sw) { return switch_names[sw.value()]; });
    std::ranges::sort(unit.hosts, natural_less);
    const std::string& first = switch_names[unit.leaves.front().value()];
    const std::string& last = switch_names[unit.leaves.back().value()];
    if (unit.leaves.size() == 1) {
      unit.name = first;
      continue;
    }
    unit.name = fmt::format("{}-to-{}", until_dot(first), until_dot(last));
    if (taken.contains(unit.name)) unit.name = fmt::format("{}-to-{}", first, last);
    for (unsigned n = 2; !taken.insert(unit.name).second; ++n)
      unit.name = fmt::format("{}-to-{}-{}", first, last, n);
  }
  std::ranges::sort(units, natural_less, &HostUnit::name);
}

// ---- Groups ----

/// Units and groups that have no parent yet; inner groups are made before outer ones.
class Nesting {
 public:
  /// `level`: by switch; switches of level 0 are not top switches.
  Nesting(const Fabric& fabric, std::vector<std::uint32_t> level, HostGroups& into)
      : fabric_(fabric), level_(std::move(level)), into_(into) {
    for (std::uint32_t u = 0; u < into_.units.size(); ++u) open_.push_back({true, u});
  }

  /// Makes a group for each class of switches that contains all leaves of several units and groups
  /// without a parent. These units and groups become the elements of the group.
  void nest(const SwitchClasses& class_of_switch, const SwitchClasses* inner, std::uint32_t level) {
    std::map<std::uint32_t, std::vector<Item>> classes;
    std::vector<Item> still_open;
    for (const Item& item : open_) {
      const std::uint32_t own_class = class_of(item, class_of_switch);
      if (own_class == kNoComponent) {
        still_open.push_back(item);
      } else {
        classes[own_class].push_back(item);
      }
    }
    for (auto& [own_class, items] : classes) {
      if (items.size() > 1) items = {group(items, own_class, class_of_switch, inner, level)};
      still_open.push_back(items.front());
    }
    open_ = std::move(still_open);
  }

 private:
  struct Item {
    bool is_unit = true;
    std::uint32_t index = 0;
  };

  std::uint32_t class_of(const Item& item, const SwitchClasses& class_of_switch) const {
    if (!item.is_unit) return class_of({true, any_unit(into_.groups[item.index])}, class_of_switch);
    const auto& leaves = into_.units[item.index].leaves;
    const std::uint32_t own_class = class_of_switch[leaves.front().value()];
    const bool whole = std::ranges::all_of(
        leaves, [&](SwitchId leaf) { return class_of_switch[leaf.value()] == own_class; });
    return whole ? own_class : kNoComponent;
  }

  std::uint32_t any_unit(const HostGroup& group) const {
    return group.units.empty() ? any_unit(into_.groups[group.groups.front()]) : group.units.front();
  }

  Item group(const std::vector<Item>& items, std::uint32_t own_class,
             const SwitchClasses& class_of_switch, const SwitchClasses* inner,
             std::uint32_t level) {
    const auto index = static_cast<std::uint32_t>(into_.groups.size());
    HostGroup made;
    made.level = level;
    for (const Item& item : items) {
      (item.is_unit ? made.units : made.groups).push_back(item.index);
      (item.is_unit ? into_.units[item.index].parent : into_.groups[item.index].parent) = index;
    }
    std::set<SwitchId> leaves;
    for (const HostUnit& unit : into_.units) leaves.insert(unit.leaves.begin(), unit.leaves.end());
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (class_of_switch[s] == own_class && level_[s] > 0 && !leaves.contains(SwitchId(s)) &&
          (inner == nullptr || (*inner)[s] == kNoComponent))
        made.tops.push_back(SwitchId(s));
    into_.groups.push_back(std::move(made));
    return {false, index};
  }

  const Fabric& fabric_;
  std::vector<std::uint32_t> level_;
  HostGroups& into_;
  std::vector<Item> open_;
};

void name_groups(HostGroups& groups, const std::vector<std::string>& switch_names) {
  std::set<std::string> taken(switch_names.begin(), switch_names.end());
  for (const HostUnit& unit : groups.units) taken.insert(unit.name);
  const auto roots = std::ranges::count(groups.groups, kNoGroup, &HostGroup::parent);
  std::set<SwitchId> used;
  unsigned pods = 0, tops = 0;
  for (HostGroup& group : groups.groups) {
    if (group.tops.size() == 1 && used.insert(group.tops.front()).second) {
      group.name = switch_names[group.tops.front().value()];
      continue;
    }
    const bool root = group.parent == kNoGroup;
    do {
      group.name = !root ? fmt::format("pod-{}", ++pods) : fmt::format("top-{}", ++tops);
      if (root && roots == 1 && tops == 1) group.name = "top";
    } while (!taken.insert(group.name).second);
  }
}

}  // namespace

HostGroups group_hosts(const Fabric& fabric, const std::vector<Host>& hosts,
                       const std::vector<std::string>& switch_names) {
  HostGroups result;
  result.units = units_of(hosts, fabric.switch_count());
  name_units(result.units, switch_names);
  if (fabric.switch_count() == 0) return result;
  SwitchGraph graph = make_switch_graph(fabric);
  graph.hosts.assign(fabric.switch_count(), 0);
  for (const Host& host : hosts)
    for (const SwitchId leaf : host.leaves) ++graph.hosts[leaf.value()];
  std::vector<std::uint32_t> level;
  const auto all_classes = classes_by_level(graph, result.shape, level);
  Nesting nesting(fabric, std::move(level), result);
  const bool levels = result.shape.starts_with("tree");
  for (std::size_t k = 0; k < all_classes.size(); ++k)
    nesting.nest(all_classes[k], k > 0 && levels ? &all_classes[k - 1] : nullptr,
                 static_cast<std::uint32_t>(k + 1));
  name_groups(result, switch_names);
  return result;
}

}  // namespace weft
