// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Layout without a detected shape: distances in the picture are approximately proportional to hop
// counts. Up to kDrawnMax switches are placed individually. Of larger fabrics the clusters are
// placed, with the switches of each cluster in rows. Source: Zheng, Pawar, Goodman, "Graph drawing
// by stochastic gradient descent", IEEE TVCG 2019.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/clusters.h"
#include "report/layout_kinds.h"

namespace weft {
namespace {

constexpr int kRounds = 30;
constexpr double kStep = 1.6;  // distance between neighbors

struct Point {
  double x = 0, y = 0;
};

/// Hop counts between all pairs, row by row.
std::vector<std::uint16_t> all_hops(const std::vector<std::vector<std::uint32_t>>& next) {
  const std::size_t n = next.size();
  std::vector<std::uint16_t> hops(n * n, 0xFFFF);
  std::vector<std::uint32_t> row;
  for (std::size_t from = 0; from < n; ++from) {
    std::uint16_t* own_row = &hops[from * n];
    own_row[from] = 0;
    row.assign(1, static_cast<std::uint32_t>(from));
    for (std::size_t i = 0; i < row.size(); ++i)
      for (const std::uint32_t to : next[row[i]])
        if (own_row[to] == 0xFFFF) {
          own_row[to] = static_cast<std::uint16_t>(own_row[row[i]] + 1);
          row.push_back(to);
        }
  }
  return hops;
}

/// Positions with distances that approximate `kStep * hops`; close pairs have the highest weight.
std::vector<Point> positions_by_stress(const std::vector<std::vector<std::uint32_t>>& next) {
  const auto n = static_cast<std::uint32_t>(next.size());
  const auto hops = all_hops(next);
  std::vector<Point> at;
  for (std::uint32_t i = 0; i < n; ++i) {  // different positions on a spiral
    const double angle = 2.399963 * i;
    at.push_back({std::sqrt(i + 0.5) * std::cos(angle), std::sqrt(i + 0.5) * std::sin(angle)});
  }
  std::vector<std::uint32_t> pairs;
  double far = 1;
  for (std::uint32_t a = 1; a < n; ++a)
    for (std::uint32_t b = 0; b < a; ++b) {
      pairs.push_back(a * n + b);
      far = std::max(far, static_cast<double>(hops[a * n + b]));
    }
  Rng rng(1);
  const double first = far * far;
  const double decay = std::log(0.1 / first) / (kRounds - 1);
  for (int round = 0; round < kRounds; ++round) {
    const double rate = first * std::exp(decay * round);
    rng.shuffle(std::span(pairs));
    for (const std::uint32_t pair : pairs) {
      const std::uint32_t first_of_pair = pair / n;
      Point& a = at[first_of_pair];
      Point& b = at[pair % n];
      const double want = hops[pair];
      const double weight = std::min(1.0, rate / (want * want));
      double dx = a.x - b.x;
      double dy = a.y - b.y;
      double length = std::sqrt(dx * dx + dy * dy);
      if (length < 1e-6) {
        dx = 1e-3 * (1 + first_of_pair);
        length = dx;
      }
      const double move = weight * (length - want * kStep) / 2 / length;
      a.x -= move * dx;
      a.y -= move * dy;
      b.x += move * dx;
      b.y += move * dy;
    }
  }
  return at;
}

/// Moves overlapping elements apart. If elements still overlap after 60 rounds, moves each element
/// to the nearest free cell of a raster.
void separate(std::vector<Point>& at, const std::vector<double>& radius) {
  for (int round = 0; round < 60; ++round) {
    bool moved = false;
    for (std::size_t a = 1; a < at.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const double want = radius[a] + radius[b];
        double dx = at[a].x - at[b].x;
        double dy = at[a].y - at[b].y;
        if (std::abs(dx) >= want || std::abs(dy) >= want) continue;
        const double length = std::sqrt(dx * dx + dy * dy);
        if (length >= want) continue;
        const double push = (want - length) / 2 + 0.01;
        dx = length < 1e-6 ? 1 : dx / length;
        dy = length < 1e-6 ? 0 : dy / length;
        at[a].x += push * dx;
        at[a].y += push * dy;
        at[b].x -= push * dx;
        at[b].y -= push * dy;
        moved = true;
      }
    if (!moved) return;
  }
  const double reach = *std::ranges::max_element(radius) * 2;
  const double scale = std::max(1.0, reach);
  std::vector<std::pair<long, long>> taken;
  for (Point& point : at) {  // cells on a square spiral around the position
    const long x = std::lround(point.x / scale);
    const long y = std::lround(point.y / scale);
    for (long ring = 0, found = 0; found == 0; ++ring)
      for (long dx = -ring; dx <= ring && found == 0; ++dx)
        for (long dy = -ring; dy <= ring && found == 0; ++dy) {
          if (std::max(std::abs(dx), std::abs(dy)) != ring) continue;
          const std::pair place(x + dx, y + dy);
          if (std::ranges::find(taken, place) != taken.end()) continue;
          taken.push_back(place);
          point = {static_cast<double>(place.first) * scale,
                   static_cast<double>(place.second) * scale};
          found = 1;
        }
  }
}

std::vector<std::vector<std::uint32_t>> neighbors(const SwitchGraph& graph,
                                                  const Clusters& clusters) {
  std::vector<std::vector<std::uint32_t>> next(clusters.count);
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const SwitchGraph::Edge& edge : graph.of(s))
      if (clusters.of[edge.to] != clusters.of[s])
        next[clusters.of[s]].push_back(clusters.of[edge.to]);
  for (auto& row : next) {
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return next;
}

/// Returns at most kDrawnMax clusters; each switch of a small fabric is a cluster.
Clusters parts_of(const SwitchGraph& graph) {
  Clusters parts;
  if (graph.size() <= kDrawnMax) {
    for (std::uint32_t s = 0; s < graph.size(); ++s) parts.of.push_back(s);
    parts.count = graph.size();
    return parts;
  }
  parts = find_clusters(graph);
  if (parts.count <= kDrawnMax) return parts;
  // Merges clusters with consecutive numbers, which have switches with close ids.
  const std::uint32_t each = (parts.count + kDrawnMax - 1) / kDrawnMax;
  for (std::uint32_t& part : parts.of) part /= each;
  parts.count = (parts.count + each - 1) / each;
  return parts;
}

}  // namespace

Layout lay_out_free(const SwitchGraph& graph) {
  const Clusters parts = parts_of(graph);
  std::vector<std::vector<std::uint32_t>> members(parts.count);
  for (std::uint32_t s = 0; s < graph.size(); ++s) members[parts.of[s]].push_back(s);
  std::vector<double> radius;
  double widest = 0;
  for (const auto& part : members) {
    radius.push_back(part.size() == 1 ? 0.5 : std::ceil(std::sqrt(part.size())) * 0.72 + 0.5);
    widest = std::max(widest, radius.back());
  }
  std::vector<Point> at = positions_by_stress(neighbors(graph, parts));
  for (Point& point : at) {
    point.x *= std::max(1.0, widest);
    point.y *= std::max(1.0, widest);
  }
  separate(at, radius);

  Layout layout;
  layout.shape = Shape::kFree;
  layout.about = graph.size() == 1 ? "a single switch" : "no regular shape";
  layout.boxed = graph.size() > kDrawnMax;
  layout.x.resize(graph.size());
  layout.y.resize(graph.size());
  layout.box = parts.of;
  for (std::uint32_t part = 0; part < parts.count; ++part) {
    const std::size_t n = members[part].size();
    const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(n)));
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t column = i % columns, row = i / columns;
      const double middle = static_cast<double>(columns - 1) / 2;
      layout.x[members[part][i]] = at[part].x + static_cast<double>(column) - middle;
      layout.y[members[part][i]] = at[part].y + static_cast<double>(row) - middle;
    }
    layout.boxes.push_back(make_box(n > 1 ? "cluster" : ""));
  }
  close_boxes(layout, graph);
  move_to_origin(layout);
  return layout;
}

}  // namespace weft
