// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/clusters.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace weft {
namespace {

constexpr int kPassesMax = 20;

struct WeightedGraph {
  struct Edge {
    std::uint32_t to;
    double weight;
  };
  std::vector<std::vector<Edge>> of;
  std::vector<double> inside;  // twice the weight of edges within a vertex
};

std::size_t count_common(std::span<const SwitchGraph::Edge> x,
                         std::span<const SwitchGraph::Edge> y) {
  std::size_t count = 0;
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i].to == y[j].to) ++count;
    const bool step_x = x[i].to <= y[j].to;
    const bool step_y = y[j].to <= x[i].to;
    i += step_x;
    j += step_y;
  }
  return count;
}

/// Returns the graph with weights: the weight of an edge is its number of cables, multiplied by one
/// more than the number of triangles and squares that contain the edge.
WeightedGraph weigh(const SwitchGraph& graph) {
  WeightedGraph weighted;
  weighted.of.resize(graph.size());
  weighted.inside.assign(graph.size(), 0);
  std::vector<std::uint32_t> two_hop_paths(graph.size());  // from switch s, by end of the path
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    std::ranges::fill(two_hop_paths, 0u);
    for (const auto& edge : graph.of(s))
      for (const auto& next : graph.of(edge.to)) ++two_hop_paths[next.to];
    for (const auto& edge : graph.of(s)) {
      std::size_t squares = 0;
      for (const auto& next : graph.of(edge.to))
        if (next.to != s) squares += two_hop_paths[next.to] - 1;
      const std::size_t triangles = count_common(graph.of(s), graph.of(edge.to));
      weighted.of[s].push_back({edge.to, static_cast<double>(edge.cables) *
                                             static_cast<double>(1 + triangles + squares)});
    }
  }
  return weighted;
}

/// Moves vertices to their best cluster until none moves, or after kPassesMax passes. Returns
/// whether a vertex was moved.
bool settle(const WeightedGraph& graph, std::vector<std::uint32_t>& cluster) {
  const std::size_t n = graph.of.size();
  std::vector<double> degree(n);
  double all = 0;
  for (std::size_t v = 0; v < n; ++v) {
    degree[v] = graph.inside[v];
    for (const auto& edge : graph.of[v]) degree[v] += edge.weight;
    all += degree[v];
  }
  cluster.resize(n);
  std::iota(cluster.begin(), cluster.end(), 0u);
  if (all == 0) return false;
  std::vector<double> total = degree;
  std::vector<double> to(n, 0);
  bool any = false;
  for (int pass = 0; pass < kPassesMax; ++pass) {
    bool moved = false;
    for (std::uint32_t v = 0; v < n; ++v) {
      for (const auto& edge : graph.of[v]) to[cluster[edge.to]] += edge.weight;
      const std::uint32_t own = cluster[v];
      total[own] -= degree[v];
      std::uint32_t best = own;
      double most = to[own] - total[own] * degree[v] / all;
      for (const auto& edge : graph.of[v]) {
        const std::uint32_t other = cluster[edge.to];
        const double gain = to[other] - total[other] * degree[v] / all;
        if (gain > most + 1e-9) {
          most = gain;
          best = other;
        }
      }
      for (const auto& edge : graph.of[v]) to[cluster[edge.to]] = 0;
      total[best] += degree[v];
      cluster[v] = best;
      moved |= best != own;
    }
    any |= moved;
    if (!moved) break;
  }
  return any;
}

std::uint32_t renumber(std::vector<std::uint32_t>& cluster) {
  std::vector<std::uint32_t> number(cluster.size(), kNoComponent);
  std::uint32_t count = 0;
  for (std::uint32_t& own : cluster) {
    if (number[own] == kNoComponent) number[own] = count++;
    own = number[own];
  }
  return count;
}

WeightedGraph merge(const WeightedGraph& graph, const std::vector<std::uint32_t>& cluster,
                    std::uint32_t count) {
  WeightedGraph merged;
  merged.of.resize(count);
  merged.inside.assign(count, 0);
  std::vector<std::map<std::uint32_t, double>> sums(count);
  for (std::size_t v = 0; v < graph.of.size(); ++v) {
    merged.inside[cluster[v]] += graph.inside[v];
    for (const auto& edge : graph.of[v]) {
      if (cluster[edge.to] == cluster[v]) {
        merged.inside[cluster[v]] += edge.weight;
      } else {
        sums[cluster[v]][cluster[edge.to]] += edge.weight;
      }
    }
  }
  for (std::uint32_t c = 0; c < count; ++c)
    for (const auto& [to, weight] : sums[c]) merged.of[c].push_back({to, weight});
  return merged;
}

}  // namespace

Clusters find_clusters(const SwitchGraph& graph) {
  Clusters found;
  found.of.resize(graph.size());
  std::iota(found.of.begin(), found.of.end(), 0u);
  found.count = graph.size();
  WeightedGraph level = weigh(graph);
  std::vector<std::uint32_t> cluster;
  while (settle(level, cluster)) {
    const std::uint32_t count = renumber(cluster);
    for (std::uint32_t& own : found.of) own = cluster[own];
    found.count = count;
    level = merge(level, cluster, count);
  }
  found.count = renumber(found.of);
  return found;
}

}  // namespace weft
