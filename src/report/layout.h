// Where the switches of a fabric stand in a picture. What kind of fabric it is, is seen from its
// cables, never from names, so that it works on real fabrics and on damaged ones: levels for trees,
// grids for tori, meshes and hypercubes, groups for dragonflies, and for the rest distances that
// are like the hops. Hosts stand at their switch, as a number. Equal fabrics have equal pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/switch_graph.h"

namespace weft {

enum class Shape { kTree, kGrid, kGroups, kFree };

/// Above so many switches a picture begins with boxes of several switches each.
inline constexpr std::uint32_t kDrawnMax = 600;

/// Switches that stand together and can be drawn as one.
struct LayoutBox {
  double x = 0, y = 0, width = 0, height = 0;  // left upper corner
  std::string label;
  std::uint32_t switches = 0;
  std::uint32_t hosts = 0;
};

struct LayoutLabel {
  double x = 0, y = 0;  // right end of the text, its middle
  std::string text;
};

/// A line or ring of switches that a grid is made of.
struct GridDimension {
  std::uint32_t size = 0;
  bool closed = false;  // the last is cabled to the first
  bool full = false;    // each is cabled to each (HyperX); the order then means nothing
};

struct Layout {
  Shape shape = Shape::kFree;
  std::string about;         // "tree of 3 levels", "torus of 6 x 6 x 6"
  std::vector<double> x, y;  // by switch; no two are nearer than kNearest
  double width = 0, height = 0;
  std::vector<std::uint32_t> box;  // by switch
  std::vector<LayoutBox> boxes;
  bool boxed = false;  // more than kDrawnMax switches: draw boxes until somebody looks closer
  std::vector<LayoutLabel> labels;

  // What was recognised; by switch, and empty for other shapes.
  std::vector<std::uint32_t> level;  // trees: 0 for those with hosts
  std::vector<std::uint32_t> group;  // groups
  std::vector<GridDimension> dimensions;
  std::vector<std::uint32_t> place;  // grids: dimensions.size() for each switch

  std::uint32_t at(std::uint32_t sw, std::size_t dimension) const {
    return place[sw * dimensions.size() + dimension];
  }
};

inline constexpr double kNearest = 0.5;

/// Parts of a fabric that no cable connects are laid out one by one; shape and the like are those
/// of the largest.  Cost: O(cables * most neighbours of a switch), and up to 0.5 s for free shapes.
Layout lay_out(const SwitchGraph& graph);

/// Does a cable between these close a ring of the grid? Such are drawn in a bow.
bool closes_ring(const Layout& layout, std::uint32_t a, std::uint32_t b);

}  // namespace weft
