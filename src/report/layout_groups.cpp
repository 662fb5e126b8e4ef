// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Dragonflies and similar topologies: groups on a circle, the switches of each group on a small
// circle.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/clusters.h"
#include "report/layout_kinds.h"

namespace weft {
namespace {

/// Minimum share of cabled pairs in a group. In a group of leaves and spines half of the pairs are
/// cabled.
constexpr double kDense = 0.5;

struct Groups {
  std::vector<std::vector<std::uint32_t>> members;
  std::vector<std::uint32_t> of;
};

/// Whether clusters are groups: there are at least three, at least 80 % of the switches are in
/// densely cabled clusters of at least three switches, and at least half of the cabled pairs of
/// switches are within clusters.
bool are_groups(const SwitchGraph& graph, const Groups& groups) {
  if (groups.members.size() < 3) return false;
  std::size_t dense = 0;
  std::vector<double> inside(groups.members.size(), 0);
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const SwitchGraph::Edge& edge : graph.of(s))
      if (groups.of[edge.to] == groups.of[s]) inside[groups.of[s]] += 0.5;
  for (std::size_t g = 0; g < groups.members.size(); ++g) {
    const auto n = static_cast<double>(groups.members[g].size());
    if (n >= 3 && inside[g] >= kDense * n * (n - 1) / 2) dense += groups.members[g].size();
  }
  const double edges = static_cast<double>(graph.edges.size()) / 2;
  const double within = std::accumulate(inside.begin(), inside.end(), 0.0);
  return static_cast<double>(dense) >= 0.8 * graph.size() && within >= 0.5 * edges;
}

double radius_of(std::size_t members) {
  return members < 2 ? 0.5 : std::max(0.5, 0.55 / std::sin(M_PI / static_cast<double>(members)));
}

}  // namespace

std::optional<Layout> lay_out_groups(const SwitchGraph& graph) {
  const Clusters clusters = find_clusters(graph);
  Groups groups{std::vector<std::vector<std::uint32_t>>(clusters.count), clusters.of};
  for (std::uint32_t s = 0; s < graph.size(); ++s) groups.members[clusters.of[s]].push_back(s);
  if (!are_groups(graph, groups)) return std::nullopt;

  std::size_t least = graph.size();
  std::size_t most = 0;
  for (const auto& members : groups.members) {
    least = std::min(least, members.size());
    most = std::max(most, members.size());
  }
  Layout layout;
  layout.shape = Shape::kGroups;
  layout.about = least == most
                     ? fmt::format("{} groups of {} switches", clusters.count, most)
                     : fmt::format("{} groups of {} to {} switches", clusters.count, least, most);
  layout.boxed = graph.size() > kDrawnMax;
  layout.group = clusters.of;
  layout.box = clusters.of;
  layout.x.resize(graph.size());
  layout.y.resize(graph.size());
  const double apart = 2 * radius_of(most) + 2;
  const double radius = std::max(apart / 2 / std::sin(M_PI / clusters.count), apart);
  for (std::uint32_t g = 0; g < clusters.count; ++g) {
    const double angle = 2 * M_PI * g / clusters.count - M_PI / 2;
    const auto& members = groups.members[g];
    const double small = radius_of(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const double turn =
          angle + 2 * M_PI * static_cast<double>(i) / static_cast<double>(members.size());
      layout.x[members[i]] = radius * std::cos(angle) + small * std::cos(turn);
      layout.y[members[i]] = radius * std::sin(angle) + small * std::sin(turn);
    }
    layout.boxes.push_back(make_box(fmt::format("group {}", g + 1)));
  }
  close_boxes(layout, graph);
  move_to_origin(layout);
  return layout;
}

}  // namespace weft
