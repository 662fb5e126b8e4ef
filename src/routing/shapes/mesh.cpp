// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/mesh.h"

#include <algorithm>

#include "base/disjoint_sets.h"
#include "fabric/hops.h"

namespace weft {
namespace {

constexpr std::uint64_t kComparisonsMax = 400'000'000;
constexpr std::uint64_t kMeshSwitchesMax = 8192;  // the table of distances has 8192^2 cells
constexpr std::size_t kDimensionsMax = 64;

struct Edge {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool operator==(const Edge&) const = default;
  auto operator<=>(const Edge&) const = default;
};

/// The switches and their neighbors. Parallel cables are one edge.
struct Graph {
  std::vector<std::vector<std::uint32_t>> neighbors;  // sorted
  std::vector<Edge> edges;                            // a < b, sorted

  std::uint32_t edge(std::uint32_t one, std::uint32_t other) const {
    const Edge wanted{std::min(one, other), std::max(one, other)};
    return static_cast<std::uint32_t>(std::ranges::lower_bound(edges, wanted) - edges.begin());
  }
};

Graph graph_of(const Fabric& fabric) {
  Graph graph;
  graph.neighbors.resize(fabric.switch_count());
  for (const Channel& channel : fabric.channels())
    graph.neighbors[channel.from.value()].push_back(channel.to.value());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    auto& list = graph.neighbors[s];
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (const std::uint32_t to : list)
      if (s < to) graph.edges.push_back({s, to});
  }
  return graph;
}

std::vector<std::uint16_t> hops_from(const Fabric& fabric, std::uint32_t start) {
  const SwitchId source[] = {SwitchId(start)};
  return hops_from(fabric, source);
}

/// Joins the classes of two edges if the distances between their ends differ from those of parallel
/// edges (Djokovic and Winkler). Comparison with the edges of a spanning tree is sufficient.
void join_by_distance(const Fabric& fabric, const Graph& graph, DisjointSets& classes) {
  std::vector<std::vector<std::uint16_t>> hops;
  for (std::uint32_t s = 0; s < graph.neighbors.size(); ++s) hops.push_back(hops_from(fabric, s));
  for (std::uint32_t s = 1; s < graph.neighbors.size(); ++s) {
    const auto parent = std::ranges::find_if(
        graph.neighbors[s], [&](std::uint32_t to) { return hops[0][to] + 1 == hops[0][s]; });
    const auto& near = hops[*parent];
    const auto& far = hops[s];
    const std::uint32_t own = graph.edge(s, *parent);
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e)
      if (near[graph.edges[e].a] + far[graph.edges[e].b] !=
          near[graph.edges[e].b] + far[graph.edges[e].a])
        classes.join(own, e);
  }
}

/// Whether a switch has at most two neighbors in each class. A class with three neighbors of a
/// switch is neither a line nor a ring, and stays so if it is joined with other classes.
bool is_on_lines(const Graph& graph, std::uint32_t sw, DisjointSets& classes,
                 std::vector<std::uint32_t>& seen) {
  seen.clear();
  for (const std::uint32_t to : graph.neighbors[sw])
    seen.push_back(classes.find(graph.edge(sw, to)));
  std::ranges::sort(seen);
  for (std::size_t i = 2; i < seen.size(); ++i)
    if (seen[i] == seen[i - 2]) return false;
  return true;
}

bool are_lines(const Graph& graph, DisjointSets& classes) {
  std::vector<std::uint32_t> seen;
  for (std::uint32_t s = 0; s < graph.neighbors.size(); ++s)
    if (!is_on_lines(graph, s, classes, seen)) return false;
  return true;
}

/// Two neighbors of a switch without another common neighbor belong to one dimension. Returns false
/// if some class is neither a line nor a ring; most fabrics that are no meshes have such a class at
/// the first switch.
bool join_by_squares(const Graph& graph, DisjointSets& classes) {
  std::vector<std::uint32_t> common, seen;
  for (std::uint32_t s = 0; s < graph.neighbors.size(); ++s) {
    const auto& around = graph.neighbors[s];
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = i + 1; j < around.size(); ++j) {
        common.clear();
        std::ranges::set_intersection(graph.neighbors[around[i]], graph.neighbors[around[j]],
                                      std::back_inserter(common));
        if (common.size() == 1) classes.join(graph.edge(s, around[i]), graph.edge(s, around[j]));
      }
    if (!is_on_lines(graph, s, classes, seen)) return false;
  }
  return are_lines(graph, classes);
}

/// Numbers the classes in order of their first edges.
std::optional<Mesh> as_mesh(const Fabric& fabric, const Graph& graph, DisjointSets& classes) {
  Mesh mesh;
  std::vector<std::uint8_t> number(graph.edges.size(), 0);
  for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
    if (classes.find(e) == e) {
      if (mesh.dimensions == kDimensionsMax) return std::nullopt;
      number[e] = static_cast<std::uint8_t>(mesh.dimensions++);
    }
    number[e] = number[classes.find(e)];
  }
  for (const Channel& channel : fabric.channels())
    mesh.dimension.push_back(number[graph.edge(channel.from.value(), channel.to.value())]);
  return mesh;
}

}  // namespace

std::optional<Mesh> find_mesh(const Fabric& fabric) {
  const std::uint64_t switches = fabric.switch_count();
  if (switches < 2 || switches > kMeshSwitchesMax) return std::nullopt;
  const Graph graph = graph_of(fabric);
  if (graph.edges.size() * switches > kComparisonsMax) return std::nullopt;
  const auto hops = hops_from(fabric, 0);
  if (std::ranges::find(hops, kNoHops) != hops.end()) return std::nullopt;
  // A switch of a product of lines and rings has at most two neighbors in each dimension.
  for (const auto& around : graph.neighbors)
    if (around.size() >= 2 * kDimensionsMax) return std::nullopt;
  DisjointSets classes(graph.edges.size());
  if (!join_by_squares(graph, classes)) return std::nullopt;
  join_by_distance(fabric, graph, classes);
  if (!are_lines(graph, classes)) return std::nullopt;
  return as_mesh(fabric, graph, classes);
}

}  // namespace weft
