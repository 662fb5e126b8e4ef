// The kinds of layout.h, each tried on a connected graph. Internal to the layer.
#pragma once

#include <optional>

#include "base/rng.h"
#include "report/layout.h"

namespace weft {

/// Levels by distance from hosts, where few cables stay within a level.
std::optional<Layout> lay_out_tree(const SwitchGraph& graph);

/// Cartesian products of lines, rings and full graphs, some switches or cables missing or not.
std::optional<Layout> lay_out_grid(const SwitchGraph& graph);

/// Three or more clusters, dense inside, on a circle.
std::optional<Layout> lay_out_groups(const SwitchGraph& graph);

/// Distances like hops: always possible.
Layout lay_out_free(const SwitchGraph& graph);

inline LayoutBox labelled(std::string label) {
  LayoutBox box;
  box.label = std::move(label);
  return box;
}

/// Fills box rectangles and counts from the members' positions; boxes[i].label stays.
void close_boxes(Layout& layout, const SwitchGraph& graph);

/// Moves everything into the positive quadrant and sets width and height.
void to_origin(Layout& layout);

}  // namespace weft
