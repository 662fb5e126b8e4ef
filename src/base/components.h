// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Strongly connected components (Tarjan, 1972), without recursion, of a graph with edges that are
// computed on demand. Components are reported in reverse topological order: successors first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {

class Components {
 public:
  static constexpr std::uint32_t kNoMore = 0xFFFFFFFF;
  static constexpr std::uint32_t kNoEdge = 0xFFFFFFFE;

  explicit Components(std::uint32_t vertices)
      : index_(vertices, 0), low_(vertices), of_(vertices) {}

  /// Starts a new graph on the same vertices; no vertex is visited yet.
  void begin() {
    if (counter_ > kCounterMax) {
      std::ranges::fill(index_, 0);
      counter_ = 0;
    }
    start_ = counter_;
  }
  bool is_visited(std::uint32_t v) const { return index_[v] > start_; }
  /// Whether both vertices, which must have been visited, are in the same component.
  bool in_same_component(std::uint32_t a, std::uint32_t b) const { return of_[a] == of_[b]; }

  /// Visits each vertex that is reachable from `root` and not visited yet. edge(v, k) returns the
  /// head of the k-th edge of v, kNoEdge to skip this edge, or kNoMore after the last edge.
  /// on_component(span of vertices) is called once for each component of these vertices.
  template <class Edge, class OnComponent>
  void visit(std::uint32_t root, const Edge& edge, const OnComponent& on_component) {
    if (is_visited(root)) return;
    open(root);
    while (!path_.empty()) {
      Frame& top = path_.back();
      const std::uint32_t v = top.vertex;
      const std::uint32_t to = edge(v, top.next);
      if (to == kNoMore) {
        path_.pop_back();
        if (!path_.empty()) lower(path_.back().vertex, low_[v]);
        if (low_[v] == index_[v]) close(v, on_component);
        continue;
      }
      ++top.next;
      if (to == kNoEdge) continue;
      if (!is_visited(to)) {
        open(to);
      } else if (of_[to] == kOpen) {
        lower(v, index_[to]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kOpen = 0;
  static constexpr std::uint32_t kCounterMax = 0x7FFFFFFF;
  struct Frame {
    std::uint32_t vertex;
    std::uint32_t next;
  };

  void lower(std::uint32_t v, std::uint32_t to) { low_[v] = std::min(low_[v], to); }
  void open(std::uint32_t v) {
    index_[v] = low_[v] = ++counter_;
    of_[v] = kOpen;
    open_.push_back(v);
    path_.push_back({v, 0});
  }
  template <class OnComponent>
  void close(std::uint32_t root, const OnComponent& on_component) {
    std::size_t first = open_.size();
    do {
      of_[open_[--first]] = index_[root];
    } while (open_[first] != root);
    on_component(std::span<const std::uint32_t>(open_).subspan(first));
    open_.resize(first);
  }

  std::vector<std::uint32_t> index_, low_, of_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> path_;
  std::uint32_t counter_ = 0;
  std::uint32_t start_ = 0;
};

}  // namespace weft
