// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The layout functions of the shapes, for connected graphs. Internal to the report layer.
#pragma once

#include <optional>

#include "base/rng.h"
#include "report/layout.h"

namespace weft {

/// Levels by distance from hosts; nullopt if no choice of leaves results in the levels of a tree.
std::optional<Layout> lay_out_tree(const SwitchGraph& graph);

/// Cartesian products of lines, rings and complete graphs, even if switches or cables are missing;
/// nullopt for other graphs.
std::optional<Layout> lay_out_grid(const SwitchGraph& graph);

/// Three or more dense clusters on a circle; nullopt for other graphs.
std::optional<Layout> lay_out_groups(const SwitchGraph& graph);

/// Distances about proportional to hop counts; never fails.
Layout lay_out_free(const SwitchGraph& graph);

/// A box with this label; close_boxes() sets its other members.
inline LayoutBox make_box(std::string label) {
  LayoutBox box;
  box.label = std::move(label);
  return box;
}

/// Sets the rectangle, the number of switches and the number of hosts of each box; the label does
/// not change.
void close_boxes(Layout& layout, const SwitchGraph& graph);

/// Moves the layout into the positive quadrant and sets width and height.
void move_to_origin(Layout& layout);

}  // namespace weft
