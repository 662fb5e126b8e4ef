// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/layout_kinds.h"

namespace weft {
namespace {

constexpr double kGap = 3;  // distance between unconnected parts

Layout lay_out_connected(const SwitchGraph& graph) {
  if (auto tree = lay_out_tree(graph)) return std::move(*tree);
  if (auto grid = lay_out_grid(graph)) return std::move(*grid);
  if (auto groups = lay_out_groups(graph)) return std::move(*groups);
  return lay_out_free(graph);
}

/// Places the parts in rows, in the order of the calls of next().
class PartRows {
 public:
  explicit PartRows(double width) : width_(width) {}

  struct Place {
    double x = 0, y = 0;
  };
  Place next(double width, double height) {
    if (x_ > 0 && x_ + width > width_) {
      y_ += row_ + kGap;
      x_ = row_ = 0;
    }
    const Place place{x_, y_};
    x_ += width + kGap;
    row_ = std::max(row_, height);
    return place;
  }

 private:
  double width_;
  double x_ = 0, y_ = 0, row_ = 0;
};

void add_part(Layout& whole, const Layout& part, std::span<const std::uint32_t> members,
              PartRows::Place place) {
  const auto first_box = static_cast<std::uint32_t>(whole.boxes.size());
  for (LayoutBox box : part.boxes) {
    box.x += place.x;
    box.y += place.y;
    whole.boxes.push_back(std::move(box));
  }
  for (LayoutLabel label : part.labels) {
    label.x += place.x;
    label.y += place.y;
    whole.labels.push_back(std::move(label));
  }
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    whole.x[members[i]] = part.x[i] + place.x;
    whole.y[members[i]] = part.y[i] + place.y;
    whole.box[members[i]] = first_box + part.box[i];
  }
}

}  // namespace

void close_boxes(Layout& layout, const SwitchGraph& graph) {
  constexpr double kMargin = 0.5;
  for (LayoutBox& box : layout.boxes) {
    box.switches = box.hosts = 0;
    box.width = box.height = -1;
  }
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    LayoutBox& box = layout.boxes[layout.box[s]];
    if (box.switches++ == 0) {
      box.x = layout.x[s] - kMargin;
      box.y = layout.y[s] - kMargin;
      box.width = box.height = 2 * kMargin;
    }
    box.hosts += graph.hosts[s];
    const double right = std::max(box.x + box.width, layout.x[s] + kMargin);
    const double bottom = std::max(box.y + box.height, layout.y[s] + kMargin);
    box.x = std::min(box.x, layout.x[s] - kMargin);
    box.y = std::min(box.y, layout.y[s] - kMargin);
    box.width = right - box.x;
    box.height = bottom - box.y;
  }
}

void move_to_origin(Layout& layout) {
  if (layout.x.empty()) return;
  constexpr double kMargin = 1;
  const double left = std::ranges::min(layout.x) - kMargin;
  const double top = std::ranges::min(layout.y) - kMargin;
  for (double& x : layout.x) x -= left;
  for (double& y : layout.y) y -= top;
  for (LayoutBox& box : layout.boxes) {
    box.x -= left;
    box.y -= top;
  }
  for (LayoutLabel& label : layout.labels) {
    label.x -= left;
    label.y -= top;
  }
  layout.width = std::ranges::max(layout.x) + kMargin;
  layout.height = std::ranges::max(layout.y) + kMargin;
}

bool closes_ring(const Layout& layout, std::uint32_t a, std::uint32_t b) {
  for (std::size_t d = 0; d < layout.dimensions.size(); ++d) {
    const std::uint32_t from = layout.at(a, d);
    const std::uint32_t to = layout.at(b, d);
    if ((from > to ? from - to : to - from) > 1) return true;
  }
  return false;
}

Layout lay_out(const SwitchGraph& graph) {
  const SwitchComponents parts = components(graph);
  Layout whole;
  whole.about = "no switches";
  if (parts.count == 0) return whole;
  if (parts.count == 1) return lay_out_connected(graph);

  std::vector<std::vector<std::uint32_t>> members(parts.count);
  for (std::uint32_t s = 0; s < graph.size(); ++s) members[parts.of[s]].push_back(s);
  std::ranges::stable_sort(members, std::ranges::greater{}, &std::vector<std::uint32_t>::size);
  std::vector<Layout> layouts;
  double area = 0;
  for (const auto& part : members) {
    layouts.push_back(lay_out_connected(part_of(graph, part)));
    area += (layouts.back().width + kGap) * (layouts.back().height + kGap);
  }
  whole.shape = layouts.front().shape;
  whole.about = fmt::format("{} and {} more part{}", layouts.front().about, parts.count - 1,
                            parts.count == 2 ? "" : "s");
  whole.x.resize(graph.size());
  whole.y.resize(graph.size());
  whole.box.resize(graph.size());
  PartRows rows(std::max(layouts.front().width, std::sqrt(2 * area)));
  for (std::size_t i = 0; i < members.size(); ++i)
    add_part(whole, layouts[i], members[i], rows.next(layouts[i].width, layouts[i].height));
  whole.boxed = std::ranges::any_of(layouts, &Layout::boxed);
  move_to_origin(whole);
  return whole;
}

}  // namespace weft
