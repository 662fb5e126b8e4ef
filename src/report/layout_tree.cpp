// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trees: a level for each distance from hosts, and pods side by side. The order within a level
// results from barycentre sweeps (Sugiyama, Tagawa, Toda, "Methods for visual understanding of
// hierarchical system structures", 1981).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/layout_kinds.h"

namespace weft {
namespace {

constexpr double kPodGap = 1;
constexpr int kSweeps = 4;

/// Hop count to the nearest leaf, by switch.
std::vector<std::uint32_t> levels_above(const SwitchGraph& graph, const std::vector<bool>& leaf) {
  std::vector<std::uint32_t> level(graph.size(), kNoComponent);
  std::vector<std::uint32_t> row;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    if (leaf[s]) {
      level[s] = 0;
      row.push_back(s);
    }
  for (std::uint32_t depth = 1; !row.empty(); ++depth) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t s : row)
      for (const SwitchGraph::Edge& edge : graph.of(s))
        if (level[edge.to] == kNoComponent) {
          level[edge.to] = depth;
          next.push_back(edge.to);
        }
    row = std::move(next);
  }
  return level;
}

/// The share of switches in the largest component that cables between levels connect.
double share_connected_between_levels(const SwitchGraph& graph,
                                      const std::vector<std::uint32_t>& level) {
  SwitchGraph upright;
  upright.hosts = graph.hosts;
  upright.begin.push_back(0);
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    for (const SwitchGraph::Edge& edge : graph.of(s))
      if (level[s] != level[edge.to]) upright.edges.push_back(edge);
    upright.begin.push_back(static_cast<std::uint32_t>(upright.edges.size()));
  }
  const SwitchComponents parts = components(upright);
  std::vector<std::uint32_t> size(parts.count, 0);
  for (const std::uint32_t part : parts.of) ++size[part];
  return static_cast<double>(std::ranges::max(size)) / graph.size();
}

/// Whether levels form a tree: at most a sixth of the cables are within a level, more than half of
/// the switches are connected without these cables (unlike in a dragonfly+), and at least one
/// switch in eight is a leaf, because with few leaves any graph would satisfy the other conditions.
bool is_tree(const SwitchGraph& graph, const std::vector<std::uint32_t>& level) {
  if (std::ranges::max(level) == 0 || std::ranges::max(level) == kNoComponent) return false;
  std::uint64_t flat = 0;
  std::uint64_t all = 0;
  for (std::uint32_t s = 0; s < graph.size(); ++s)
    for (const SwitchGraph::Edge& edge : graph.of(s)) {
      all += edge.cables;
      if (level[s] == level[edge.to]) flat += edge.cables;
    }
  const auto leaves = static_cast<std::uint64_t>(std::ranges::count(level, 0u));
  return flat * 6 <= all && leaves * 8 >= graph.size() &&
         share_connected_between_levels(graph, level) > 0.5;
}

/// Returns the levels of a tree; nullopt if there is none. Leaves are the switches with hosts. If
/// these levels are no tree, only switches with many hosts are leaves, because a manager or a
/// gateway may be cabled to any switch.
std::optional<std::vector<std::uint32_t>> find_levels(const SwitchGraph& graph) {
  const std::uint32_t most = std::ranges::max(graph.hosts);
  if (most == 0) return std::nullopt;
  for (const std::uint32_t least : {1u, 2u, most / 8, most / 4, most / 2}) {
    if (least == 0 || least > most) continue;
    std::vector<bool> leaf(graph.size());
    for (std::uint32_t s = 0; s < graph.size(); ++s) leaf[s] = graph.hosts[s] >= least;
    auto level = levels_above(graph, leaf);
    if (is_tree(graph, level)) return level;
  }
  return std::nullopt;
}

class Tree {
 public:
  Tree(const SwitchGraph& graph, std::vector<std::uint32_t> level)
      : graph_(graph), boxed_(graph.size() > kDrawnMax) {
    layout_.shape = Shape::kTree;
    layout_.level = std::move(level);
    top_ = std::ranges::max(layout_.level);
    layout_.about = fmt::format("tree of {} levels", top_ + 1);
    layout_.boxed = boxed_;
    find_pods();
    find_boxes();
  }

  Layout place() {
    order_.assign(graph_.size(), 0);
    std::vector<double> key(graph_.size());
    std::iota(key.begin(), key.end(), 0.0);
    sort_pods(key);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::uint32_t level = 1; level <= top_; ++level) sort_level(level, true);
      for (std::uint32_t level = top_; level-- > 0;) sort_level(level, false);
      if (sweep == 0) sort_pods_by_tops();
    }
    set_positions();
    close_boxes(layout_, graph_);
    move_to_origin(layout_);
    add_labels();
    return std::move(layout_);
  }

 private:
  /// Below the top level each connected part is a pod; switches of the top level belong to no pod.
  void find_pods() {
    std::vector<bool> below(graph_.size());
    for (std::uint32_t s = 0; s < graph_.size(); ++s) below[s] = layout_.level[s] < top_;
    const SwitchComponents parts = components(graph_, &below);
    pod_ = parts.of;
    pods_ = parts.count;
  }

  /// Below the top level, makes a box for the switches of a level that are connected by switches up
  /// to this level (in trees of more than two levels, up to level 1 for leaves). On the top level,
  /// a box has switches that share more than a third of their neighbors with the first switch of
  /// the box.
  void find_boxes() {
    layout_.box.assign(graph_.size(), 0);
    std::vector<std::vector<std::uint32_t>> members;
    for (std::uint32_t level = 0; level < top_; ++level) {
      std::vector<bool> keep(graph_.size());
      for (std::uint32_t s = 0; s < graph_.size(); ++s)
        keep[s] = layout_.level[s] <= std::max(level, top_ > 1 ? 1u : 0u);
      const SwitchComponents parts = components(graph_, &keep);
      std::vector<std::uint32_t> box_of(parts.count, kNoComponent);
      for (std::uint32_t s = 0; s < graph_.size(); ++s) {
        if (layout_.level[s] != level) continue;
        std::uint32_t& box = box_of[parts.of[s]];
        if (box == kNoComponent) {
          box = static_cast<std::uint32_t>(layout_.boxes.size());
          layout_.boxes.push_back(
              {.label = level == 0 ? "leaves" : fmt::format("level {}", level)});
        }
        layout_.box[s] = box;
      }
    }
    box_tops();
  }

  void box_tops() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> first;  // first switch of a box, the box
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      if (layout_.level[s] != top_) continue;
      std::uint32_t box = kNoComponent;
      for (const auto& [other, other_box] : first)
        if (has_similar_neighbors(s, other)) {
          box = other_box;
          break;
        }
      if (box == kNoComponent) {
        box = static_cast<std::uint32_t>(layout_.boxes.size());
        layout_.boxes.push_back(make_box("top"));
        first.emplace_back(s, box);
      }
      layout_.box[s] = box;
    }
  }

  bool has_similar_neighbors(std::uint32_t a, std::uint32_t b) const {
    const auto x = graph_.of(a);
    const auto y = graph_.of(b);
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
      if (x[i].to == y[j].to) ++common;
      const bool step_x = x[i].to <= y[j].to;
      const bool step_y = y[j].to <= x[i].to;
      i += step_x;
      j += step_y;
    }
    return 3 * common > x.size() + y.size() - common;
  }

  /// Sorts the row of each level by pod, then by key.
  void sort_pods(const std::vector<double>& key) {
    rows_.assign(top_ + std::size_t{1}, {});
    pod_key_.resize(pods_);
    std::iota(pod_key_.begin(), pod_key_.end(), 0.0);
    for (std::uint32_t s = 0; s < graph_.size(); ++s) rows_[layout_.level[s]].push_back(s);
    for (auto& row : rows_) sort_row(row, key);
  }

  double key_of_pod(std::uint32_t s) const {
    return pod_[s] == kNoComponent ? 0 : pod_key_[pod_[s]];
  }

  void sort_row(std::vector<std::uint32_t>& row, const std::vector<double>& key) {
    std::ranges::sort(row, [&](std::uint32_t a, std::uint32_t b) {
      if (key_of_pod(a) != key_of_pod(b)) return key_of_pod(a) < key_of_pod(b);
      if (pod_[a] != pod_[b]) return pod_[a] < pod_[b];
      if (key[a] != key[b]) return key[a] < key[b];
      return a < b;
    });
    for (std::size_t i = 0; i < row.size(); ++i)
      order_[row[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
  }

  /// Sorts the row of a level by the mean position of neighbors on the level below, or above.
  void sort_level(std::uint32_t level, bool from_below) {
    std::vector<double> key(graph_.size());
    for (const std::uint32_t s : rows_[level]) {
      double sum = 0;
      unsigned count = 0;
      for (const SwitchGraph::Edge& edge : graph_.of(s)) {
        const std::uint32_t other = layout_.level[edge.to];
        if (from_below ? other >= level : other <= level) continue;
        sum += order_[edge.to];
        ++count;
      }
      key[s] = count == 0 ? order_[s] : sum / count;
      // Removes rounding errors, so that equal keys are in the order of ids.
      key[s] = std::round(key[s] * 1e9);
    }
    sort_row(rows_[level], key);
  }

  /// Sorts the pods by the mean position of the top switches that they are cabled to.
  void sort_pods_by_tops() {
    std::vector<double> sum(pods_, 0);
    std::vector<unsigned> count(pods_, 0);
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      if (layout_.level[s] == top_) continue;
      for (const SwitchGraph::Edge& edge : graph_.of(s))
        if (layout_.level[edge.to] == top_) {
          sum[pod_[s]] += order_[edge.to];
          ++count[pod_[s]];
        }
    }
    for (std::uint32_t pod = 0; pod < pods_; ++pod)
      pod_key_[pod] = count[pod] == 0 ? 0 : std::round(sum[pod] / count[pod] * 1e6);
  }

  struct Block {
    std::vector<std::uint32_t> members;  // in order
    std::size_t columns = 1;
    double width() const { return static_cast<double>(columns); }
    std::size_t rows() const { return (members.size() + columns - 1) / columns; }
  };

  /// Divides a row into one block for each box. If boxes are drawn, blocks are about square;
  /// otherwise a block has one row.
  std::vector<Block> blocks_of(std::span<const std::uint32_t> row) const {
    std::vector<Block> blocks;
    std::vector<std::uint32_t> block_of(layout_.boxes.size(), kNoComponent);
    for (const std::uint32_t s : row) {
      std::uint32_t& block = block_of[layout_.box[s]];
      if (block == kNoComponent) {
        block = static_cast<std::uint32_t>(blocks.size());
        blocks.emplace_back();
      }
      blocks[block].members.push_back(s);
    }
    for (Block& block : blocks) {
      const auto n = static_cast<double>(block.members.size());
      block.columns =
          boxed_ ? static_cast<std::size_t>(std::ceil(std::sqrt(n))) : block.members.size();
    }
    return blocks;
  }

  static double width_of(const std::vector<Block>& blocks, double gap) {
    double width = 0;
    for (const Block& block : blocks) width += block.width() + gap;
    return blocks.empty() ? 0 : width - gap;
  }

  void put(const std::vector<Block>& blocks, double left, double width, double y) {
    const double gap = boxed_ ? 1 : 0;
    const double used = width_of(blocks, gap);
    const double stretch = used > 0 ? std::max(1.0, width / used) : 1;
    double x = left;
    for (const Block& block : blocks) {
      // Rows of switches are stretched to the width; boxes keep their size and are distributed.
      const double step = boxed_ ? 1 : stretch;
      const double shift = boxed_ ? (block.width() * stretch - block.width()) / 2 : 0;
      for (std::size_t i = 0; i < block.members.size(); ++i) {
        const std::uint32_t s = block.members[i];
        const std::size_t column = i % block.columns, row = i / block.columns;
        layout_.x[s] = x + shift + (static_cast<double>(column) + 0.5) * step;
        layout_.y[s] = y + static_cast<double>(row) - static_cast<double>(block.rows() - 1) / 2;
      }
      x += (block.width() + gap) * stretch;
    }
  }

  void set_positions() {
    layout_.x.assign(graph_.size(), 0);
    layout_.y.assign(graph_.size(), 0);
    std::vector<std::uint32_t> pods(pods_);
    std::iota(pods.begin(), pods.end(), 0u);
    std::ranges::sort(pods, [&](std::uint32_t a, std::uint32_t b) {
      return pod_key_[a] != pod_key_[b] ? pod_key_[a] < pod_key_[b] : a < b;
    });
    const double gap = boxed_ ? 1 : 0;
    std::vector<std::vector<std::vector<Block>>> blocks(pods_);  // by pod, level
    std::vector<double> width(pods_, 0);
    double total = 0;
    std::vector<std::vector<std::vector<std::uint32_t>>> row(
        pods_, std::vector<std::vector<std::uint32_t>>(top_));
    for (std::uint32_t level = 0; level < top_; ++level)
      for (const std::uint32_t s : rows_[level]) row[pod_[s]][level].push_back(s);
    for (std::uint32_t pod = 0; pod < pods_; ++pod) {
      for (std::uint32_t level = 0; level < top_; ++level) {
        blocks[pod].push_back(blocks_of(row[pod][level]));
        width[pod] = std::max(width[pod], width_of(blocks[pod].back(), gap));
      }
      total += width[pod] + (width[pod] > 1 ? kPodGap : 0);
    }
    const auto tops = blocks_of(rows_[top_]);
    const double whole = std::max(total, width_of(tops, gap));
    const double stretch = total > 0 ? whole / total : 1;
    height_ = std::clamp(whole * 0.42 / top_, boxed_ ? 9.0 : 3.0, 60.0);
    double left = 0;
    for (const std::uint32_t pod : pods) {
      const double space = (width[pod] + (width[pod] > 1 ? kPodGap : 0)) * stretch;
      const double margin = width[pod] > 1 ? kPodGap / 2 : 0;
      for (std::uint32_t level = 0; level < top_; ++level)
        put(blocks[pod][level], left + margin, space - 2 * margin, y_of(level));
      left += space;
    }
    put(tops, 0, whole, y_of(top_));
  }

  double y_of(std::uint32_t level) const { return height_ * (top_ - level); }

  void add_labels() {
    std::vector<double> y(top_ + std::size_t{1}, 0);
    std::vector<unsigned> count(top_ + std::size_t{1}, 0);
    for (std::uint32_t s = 0; s < graph_.size(); ++s) {
      y[layout_.level[s]] += layout_.y[s];
      ++count[layout_.level[s]];
    }
    for (std::uint32_t level = 0; level <= top_; ++level)
      layout_.labels.push_back({0, y[level] / count[level],
                                level == 0 ? fmt::format("{} leaves", count[level])
                                           : fmt::format("level {}: {}", level, count[level])});
  }

  const SwitchGraph& graph_;
  const bool boxed_;
  Layout layout_;
  std::uint32_t top_ = 0;
  std::uint32_t pods_ = 0;
  std::vector<std::uint32_t> pod_;
  std::vector<double> pod_key_;
  std::vector<double> order_;                     // by switch: position in its row, 0..1
  std::vector<std::vector<std::uint32_t>> rows_;  // by level
  double height_ = 0;
};

}  // namespace

std::optional<Layout> lay_out_tree(const SwitchGraph& graph) {
  auto level = find_levels(graph);
  if (!level) return std::nullopt;
  return Tree(graph, std::move(*level)).place();
}

}  // namespace weft
