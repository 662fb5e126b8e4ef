// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Positions of the switches of a fabric in a picture. The kind of topology is detected from cables,
// not from names, even if cables or switches are missing. Trees are drawn in levels; tori, meshes
// and hypercubes as grids; dragonflies in groups. In other pictures, distances are about
// proportional to hop counts. Hosts have no positions. Equal fabrics have equal pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/switch_graph.h"

namespace weft {

enum class Shape { kTree, kGrid, kGroups, kFree };

/// If a connected part has more switches, the picture starts with boxes of switches.
inline constexpr std::uint32_t kDrawnMax = 600;

/// Switches at close positions that can be drawn as one box.
struct LayoutBox {
  double x = 0, y = 0, width = 0, height = 0;  // x and y: left upper corner
  std::string label;                           // "group 3"; may be empty
  std::uint32_t switches = 0;
  std::uint32_t hosts = 0;
};

struct LayoutLabel {
  double x = 0, y = 0;  // right end of the text, at half its height
  std::string text;
};

/// One dimension of a grid.
struct GridDimension {
  std::uint32_t size = 0;
  bool closed = false;  // the last switch is cabled to the first
  bool full = false;    // all pairs of switches are cabled (HyperX): no order
};

struct Layout {
  Shape shape = Shape::kFree;
  std::string about;         // "tree of 3 levels", "torus of 6 x 6 x 6"
  std::vector<double> x, y;  // by switch; two switches are at least kNearest apart
  double width = 0, height = 0;
  std::vector<std::uint32_t> box;  // by switch
  std::vector<LayoutBox> boxes;
  bool boxed = false;  // a part exceeds kDrawnMax: boxes are drawn until the user opens them
  std::vector<LayoutLabel> labels;

  // The detected structure. Each list is empty for other shapes.
  std::vector<std::uint32_t> level;  // trees: by switch; 0 for leaves
  std::vector<std::uint32_t> group;  // groups: by switch
  std::vector<GridDimension> dimensions;
  std::vector<std::uint32_t> place;  // grids: dimensions.size() coordinates for each switch

  std::uint32_t at(std::uint32_t sw, std::size_t dimension) const {
    return place[sw * dimensions.size() + dimension];
  }
};

inline constexpr double kNearest = 0.5;

/// Computes the layout of each connected part of a fabric. With several parts, the shape is that of
/// the largest part, and the lists of the detected structure are empty. Cost: O(cables * square of
/// the highest degree of a switch), and up to 0.5 s for free shapes.
Layout lay_out(const SwitchGraph& graph);

/// Whether the coordinates of these switches differ by more than 1 in a dimension of the grid, as
/// at the ends of a ring; a cable between them is drawn as a bow.
bool closes_ring(const Layout& layout, std::uint32_t a, std::uint32_t b);

}  // namespace weft
