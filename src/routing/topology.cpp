// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/disjoint_sets.h"
#include "routing/shapes/boards.h"
#include "routing/shapes/levels.h"
#include "routing/shapes/mesh.h"
#include "routing/shapes/ranks.h"

namespace weft {
namespace {

constexpr double kQuasi = 0.9;       // least share of cables between adjacent levels
constexpr double kNearlyFull = 0.8;  // least share of the pairs of a complete graph
constexpr double kHalf = 0.5;        // as kNearlyFull, for find_groups()
constexpr std::size_t kGroupsMin = 3;
constexpr double kNearMooreBound = 0.6;  // least part of the square of the largest degree
constexpr std::uint64_t kDistanceStepsMax = 400'000'000;

/// By switch: its neighbors, sorted. Parallel cables count as one.
using Neighbors = std::vector<std::vector<std::uint32_t>>;

Neighbors neighbors_of(const Fabric& fabric) {
  Neighbors all(fabric.switch_count());
  for (const Channel& channel : fabric.channels())
    all[channel.from.value()].push_back(channel.to.value());
  for (auto& around : all) {
    std::ranges::sort(around);
    around.erase(std::unique(around.begin(), around.end()), around.end());
  }
  return all;
}

bool are_adjacent(const Neighbors& graph, std::uint32_t a, std::uint32_t b) {
  return std::ranges::binary_search(graph[a], b);
}

std::size_t in_common(const Neighbors& graph, std::uint32_t a, std::uint32_t b) {
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(graph[a], graph[b], std::back_inserter(both));
  return both.size();
}

// ---- Trees ----

std::optional<Topology> as_tree(const Fabric& fabric) {
  const auto levels = ftree::level_switches(
      fabric, {}, ftree::without_few(fabric, ftree::find_compute_nodes(fabric)));
  if (!levels) return std::nullopt;
  const auto top = std::ranges::max(*levels);
  return Topology{TopologyKind::kTree, fmt::format("a tree of {} levels", top + 1)};
}

/// Levels by distance from the switches with many hosts.
std::optional<Topology> as_quasi_tree(const Fabric& fabric) {
  const auto facts = centralities(fabric, 1);
  std::vector<SwitchId> leaves;
  for (const auto& part : switches_by_part(fabric))
    for (const SwitchId leaf : full_leaves(part, facts)) leaves.push_back(leaf);
  if (leaves.empty() || fabric.channel_count() == 0) return std::nullopt;
  const auto level = hops_from(fabric, leaves);
  std::uint16_t top = 0;
  std::uint32_t between = 0;
  for (const Channel& channel : fabric.channels()) {
    between += level[channel.from.value()] != level[channel.to.value()] ? 1 : 0;
    if (level[channel.from.value()] != kNoHops) top = std::max(top, level[channel.from.value()]);
  }
  if (top == 0 || between < kQuasi * fabric.channel_count()) return std::nullopt;
  return Topology{TopologyKind::kQuasiTree, fmt::format("nearly a tree of {} levels", top + 1)};
}

// ---- Products ----

/// Number of switches on the line of a dimension through switch 0, and whether it is a ring.
struct Extent {
  std::uint32_t size = 1;
  bool ring = false;
};

Extent extent_of(const Fabric& fabric, const Mesh& mesh, std::uint8_t dimension) {
  std::vector<bool> seen(fabric.switch_count(), false);
  std::vector<SwitchId> todo{SwitchId(0)};
  seen[0] = true;
  Extent extent;
  std::set<std::pair<std::uint32_t, std::uint32_t>> cables;
  while (!todo.empty()) {
    const SwitchId at = todo.back();
    todo.pop_back();
    const std::uint32_t first = fabric.first_channel(at).value();
    const auto channels = fabric.channels_from(at);
    for (std::uint32_t i = 0; i < channels.size(); ++i) {
      if (mesh.dimension[first + i] != dimension) continue;
      const SwitchId to = channels[i].to;
      cables.insert(std::minmax(at.value(), to.value()));
      if (seen[to.value()]) continue;
      seen[to.value()] = true;
      ++extent.size;
      todo.push_back(to);
    }
  }
  extent.ring = cables.size() == extent.size;
  return extent;
}

std::optional<Topology> as_mesh(const Fabric& fabric) {
  const auto mesh = find_mesh(fabric);
  if (!mesh || mesh->dimensions == 0) return std::nullopt;
  std::vector<std::uint32_t> sizes;
  bool rings = false;
  for (unsigned d = 0; d < mesh->dimensions; ++d) {
    const Extent extent = extent_of(fabric, *mesh, static_cast<std::uint8_t>(d));
    sizes.push_back(extent.size);
    rings = rings || extent.ring;
  }
  std::ranges::sort(sizes);
  if (sizes.back() == 2 && sizes.size() > 1)
    return Topology{TopologyKind::kHypercube,
                    fmt::format("a hypercube of {} dimensions", sizes.size())};
  return Topology{rings ? TopologyKind::kTorus : TopologyKind::kMesh,
                  fmt::format("a {} of {}", rings ? "torus" : "mesh", fmt::join(sizes, " x "))};
}

/// Two neighbors of a switch belong to one dimension if they are neighbors of each other. In a
/// product of complete graphs every switch then has dimensions of the same sizes, and two neighbors
/// in different dimensions are corners of a square.
std::optional<Topology> as_hyperx(const Neighbors& graph) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    const auto& around = graph[s];
    DisjointSets dimensions(around.size());
    for (std::uint32_t i = 0; i < around.size(); ++i)
      for (std::uint32_t j = i + 1; j < around.size(); ++j)
        if (are_adjacent(graph, around[i], around[j])) dimensions.join(i, j);
    std::map<std::uint32_t, std::uint32_t> members;
    for (std::uint32_t i = 0; i < around.size(); ++i) {
      ++members[dimensions.find(i)];
      for (std::uint32_t j = i + 1; j < around.size(); ++j) {
        const bool same = dimensions.find(i) == dimensions.find(j);
        if (same != are_adjacent(graph, around[i], around[j])) return std::nullopt;
        if (!same && in_common(graph, around[i], around[j]) != 2) return std::nullopt;
      }
    }
    std::vector<std::uint32_t> here;
    here.reserve(members.size());
    for (const auto& [least, count] : members) here.push_back(count + 1);
    std::ranges::sort(here);
    if (s == 0) sizes = here;
    if (here != sizes) return std::nullopt;
  }
  std::uint64_t product = 1;
  for (const std::uint32_t size : sizes) product *= size;
  if (sizes.empty() || product != graph.size()) return std::nullopt;
  if (sizes.size() == 1)
    return Topology{TopologyKind::kHyperX,
                    fmt::format("a complete graph of {} switches", graph.size())};
  return Topology{TopologyKind::kHyperX, fmt::format("a HyperX of {}", fmt::join(sizes, " x "))};
}

// ---- Graphs of diameter two ----

/// No graph of diameter 2 and largest degree d has more than d^2 + 1 vertices (Moore's bound). Slim
/// Fly has 8/9 d^2 vertices, PolarFly d^2 - d + 1.
std::optional<Topology> as_diameter_two(const Neighbors& graph) {
  std::size_t degree = 0;
  std::uint64_t edges = 0;
  for (const auto& around : graph) {
    degree = std::max(degree, around.size());
    edges += around.size();
  }
  const auto bound = kNearMooreBound * static_cast<double>(degree) * static_cast<double>(degree);
  if (static_cast<double>(graph.size()) < bound || edges * degree > kDistanceStepsMax ||
      graph.size() > degree * degree + 1)
    return std::nullopt;
  std::vector<std::uint32_t> seen(graph.size(), 0);  // switch of the last visit, plus one
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    std::size_t reached = 0;
    const auto see = [&](std::uint32_t to) {
      if (seen[to] == s + 1) return;
      seen[to] = s + 1;
      ++reached;
    };
    see(s);
    for (const std::uint32_t to : graph[s]) {
      see(to);
      for (const std::uint32_t next : graph[to]) see(next);
    }
    if (reached < graph.size()) return std::nullopt;
  }
  return Topology{TopologyKind::kDiameterTwo,
                  fmt::format("a graph of diameter 2: {} switches of up to {} neighbors",
                              graph.size(), degree)};
}

// ---- Groups ----

SwitchGroups number_groups(DisjointSets& sets, std::size_t switches) {
  SwitchGroups groups;
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t s = 0; s < switches; ++s) {
    const auto [found, added] =
        numbers.try_emplace(sets.find(s), static_cast<std::uint32_t>(numbers.size()));
    if (added) groups.size.push_back(0);
    groups.of.push_back(found->second);
    ++groups.size[found->second];
  }
  return groups;
}

/// Whether cables join at least the share `full` of the pairs of groups.
bool each_to_each(const Neighbors& graph, const SwitchGroups& groups, double full) {
  if (groups.size.size() < kGroupsMin) return false;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const std::uint32_t to : graph[s])
      if (groups.of[s] < groups.of[to]) pairs.emplace(groups.of[s], groups.of[to]);
  const auto n = static_cast<double>(groups.size.size());
  return static_cast<double>(pairs.size()) >= full * n * (n - 1) / 2;
}

/// Merges parts of groups that lost cables. Each step merges the two parts with the most cables
/// between them; if several pairs of parts have as many, the pair with the most common neighbors of
/// the cables' ends. Only parts with at least half of the possible cables between them are merged,
/// and no merged part may be larger than the largest original part.
void repair(const Neighbors& graph, DisjointSets& sets) {
  while (true) {
    const SwitchGroups parts = number_groups(sets, graph.size());
    const std::uint32_t most = std::ranges::max(parts.size);
    struct Between {
      std::uint32_t cables = 0;
      std::size_t shared = 0;
      std::uint32_t a = 0, b = 0;  // a cable's ends
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Between> pairs;
    for (std::uint32_t s = 0; s < graph.size(); ++s)
      for (const std::uint32_t to : graph[s]) {
        const std::uint32_t x = parts.of[s], y = parts.of[to];
        if (x >= y || parts.size[x] + parts.size[y] > most) continue;
        Between& between = pairs[{x, y}];
        ++between.cables;
        between.shared += in_common(graph, s, to);
        between.a = s;
        between.b = to;
      }
    const Between* best = nullptr;
    for (const auto& [pair, between] : pairs) {
      if (2 * between.cables < parts.size[pair.first] * parts.size[pair.second]) continue;
      if (best == nullptr ||
          std::pair(between.cables, between.shared) > std::pair(best->cables, best->shared))
        best = &between;
    }
    if (best == nullptr) return;
    sets.join(best->a, best->b);
  }
}

/// The ends of a cable within a group have most switches of the group as common neighbors; the
/// ends of other cables have few common neighbors.
std::optional<SwitchGroups> as_dragonfly(const Neighbors& graph, double full, bool repaired) {
  struct Edge {
    std::uint32_t a, b;
    std::size_t shared;
  };
  std::vector<Edge> edges;
  std::size_t most = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const std::uint32_t to : graph[s])
      if (s < to) {
        edges.push_back({s, to, in_common(graph, s, to)});
        most = std::max(most, edges.back().shared);
      }
  if (most == 0) return std::nullopt;
  DisjointSets sets(graph.size());
  for (const Edge& edge : edges)
    if (3 * edge.shared >= 2 * most) sets.join(edge.a, edge.b);
  if (repaired) repair(graph, sets);
  SwitchGroups groups = number_groups(sets, graph.size());
  if (!each_to_each(graph, groups, full)) return std::nullopt;
  std::vector<std::uint64_t> inside(groups.size.size(), 0);
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const std::uint32_t to : graph[s])
      if (s < to && groups.of[s] == groups.of[to]) ++inside[groups.of[s]];
  for (std::size_t g = 0; g < inside.size(); ++g) {
    const double size = groups.size[g];
    if (size < 2 || static_cast<double>(inside[g]) < full * size * (size - 1) / 2)
      return std::nullopt;
  }
  return groups;
}

/// Cables between two switches without hosts connect groups; within a group, spines without hosts
/// are cabled to leaves with hosts.
std::optional<SwitchGroups> as_dragonfly_plus(const Fabric& fabric, const Neighbors& graph,
                                              double full) {
  const auto hosts = count_hosts(fabric);
  DisjointSets sets(graph.size());
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const std::uint32_t to : graph[s]) {
      if (hosts[s] > 0 && hosts[to] > 0) return std::nullopt;
      if (hosts[s] > 0 || hosts[to] > 0) sets.join(s, to);
    }
  SwitchGroups groups = number_groups(sets, graph.size());
  if (!each_to_each(graph, groups, full) || std::ranges::min(groups.size) < 2) return std::nullopt;
  groups.plus = true;
  return groups;
}

std::optional<SwitchGroups> groups_of(const Fabric& fabric, const Neighbors& graph, double full) {
  if (auto groups = as_dragonfly(graph, full, false)) return groups;
  return as_dragonfly_plus(fabric, graph, full);
}

}  // namespace

std::optional<SwitchGroups> find_groups(const Fabric& fabric) {
  if (fabric.switch_count() < kGroupsMin) return std::nullopt;
  const Neighbors graph = neighbors_of(fabric);
  if (auto groups = groups_of(fabric, graph, kHalf)) return groups;
  return as_dragonfly(graph, kHalf, true);
}

std::vector<std::uint32_t> group_by_switch(const Fabric& fabric) {
  if (fabric.switch_count() < kGroupsMin) return {};
  auto groups = groups_of(fabric, neighbors_of(fabric), kHalf);
  return groups ? std::move(groups->of) : std::vector<std::uint32_t>();
}

Topology recognize(const Fabric& fabric) {
  if (fabric.switch_count() <= 1) return {TopologyKind::kSingleSwitch, "a single switch"};
  if (auto tree = as_tree(fabric)) return *tree;
  const Neighbors graph = neighbors_of(fabric);
  if (auto mesh = as_mesh(fabric)) return *mesh;
  if (auto hyperx = as_hyperx(graph)) return *hyperx;
  if (const auto boards = find_boards(fabric))
    return {TopologyKind::kHammingMesh,
            fmt::format("a HammingMesh of {}x{} boards of {}x{} switches", boards->x, boards->y,
                        boards->a, boards->b)};
  if (const auto groups = groups_of(fabric, graph, kNearlyFull))
    return {groups->plus ? TopologyKind::kDragonflyPlus : TopologyKind::kDragonfly,
            fmt::format("a dragonfly{} of {} groups of {}", groups->plus ? "+" : "",
                        groups->size.size(), std::ranges::max(groups->size))};
  if (auto quasi = as_quasi_tree(fabric)) return *quasi;
  if (auto two = as_diameter_two(graph)) return *two;
  return {TopologyKind::kIrregular, "no known topology"};
}

}  // namespace weft
