// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Coordinates of each switch in a cartesian mesh or torus: its position on the line or ring of each
// dimension.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/shapes/mesh.h"
#include "routing/shapes/trunks.h"

namespace weft {

struct Grid {
  struct Line {
    std::uint32_t size = 0;
    bool closed = false;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::vector<Line> dimensions;
  std::vector<std::uint32_t> place;  // by switch, then dimension
  /// By switch, dimension, and down or up: the trunk to the neighbor in this direction, or kNone.
  std::vector<std::uint32_t> step;

  std::uint32_t at(std::uint32_t sw, std::size_t dimension) const {
    return place[sw * dimensions.size() + dimension];
  }
  std::uint32_t trunk(std::uint32_t sw, std::size_t dimension, bool up) const {
    return step[2 * (sw * dimensions.size() + dimension) + (up ? 1 : 0)];
  }
};

Grid make_grid(const Fabric& fabric, const Mesh& mesh, const Trunks& trunks);

}  // namespace weft
