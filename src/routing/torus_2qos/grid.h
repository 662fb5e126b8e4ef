// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The places of a torus or mesh of up to three dimensions: coordinates and neighbors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "routing/torus_2qos/config.h"

namespace weft {

/// Index of a place, dense over all places, with or without a switch; x varies fastest.
using Place = std::uint32_t;
inline constexpr Place kNoPlace = 0xFFFFFFFF;
using Coordinates = std::array<unsigned, kTorusDimensions>;

enum Direction : std::uint8_t { kUp = 0, kDown = 1 };
inline constexpr Direction opposite(Direction direction) { return direction == kUp ? kDown : kUp; }

/// The order in which paths use the dimensions of the configuration.
using DimensionOrder = std::array<unsigned, kTorusDimensions>;

/// Dimensions are numbered in the order in which paths use them. The 1-D ring (or line) of a
/// dimension through a place is identified by its place of coordinate 0.
class TorusGrid {
 public:
  explicit TorusGrid(const TorusConfig& config, const DimensionOrder& order = {0, 1, 2})
      : order_(order) {
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
      radix_[d] = config.radix[order[d]];
      mesh_[d] = config.mesh[order[d]];
      stride_[d] = size_;
      size_ *= radix_[d];
    }
  }

  Place size() const { return size_; }
  /// The number of a dimension in the configuration, which selects its name and its bit in SLs.
  unsigned configured(unsigned dimension) const { return order_[dimension]; }
  char name(unsigned dimension) const { return kDimensionNames[order_[dimension]]; }
  unsigned radix(unsigned dimension) const { return radix_[dimension]; }
  bool is_mesh(unsigned dimension) const { return mesh_[dimension]; }
  /// Rings of two are lines, since there is only one path between the two places.
  bool is_line(unsigned dimension) const { return mesh_[dimension] || radix_[dimension] <= 2; }
  Place stride(unsigned dimension) const { return stride_[dimension]; }

  unsigned coordinate(Place place, unsigned dimension) const {
    return place / stride_[dimension] % radix_[dimension];
  }
  Coordinates coordinates(Place place) const {
    return {coordinate(place, 0), coordinate(place, 1), coordinate(place, 2)};
  }
  Place at(const Coordinates& coordinates) const {
    return coordinates[0] * stride_[0] + coordinates[1] * stride_[1] + coordinates[2] * stride_[2];
  }
  Place moved(Place place, unsigned dimension, unsigned coordinate_to) const {
    return place + (coordinate_to - coordinate(place, dimension)) * stride_[dimension];
  }
  /// The next place in a direction; kNoPlace beyond the end of a line.
  Place neighbor(Place place, unsigned dimension, Direction direction) const {
    const unsigned here = coordinate(place, dimension);
    const unsigned last = radix_[dimension] - 1;
    if (here == (direction == kUp ? last : 0))
      return is_line(dimension) ? kNoPlace : moved(place, dimension, direction == kUp ? 0 : last);
    return direction == kUp ? place + stride_[dimension] : place - stride_[dimension];
  }
  /// Calls body(place, coordinates) for all places in order.
  template <class Body>
  void for_each_place(const Body& body) const {
    Coordinates at{};
    Place place = 0;
    for (at[2] = 0; at[2] < radix_[2]; ++at[2])
      for (at[1] = 0; at[1] < radix_[1]; ++at[1])
        for (at[0] = 0; at[0] < radix_[0]; ++at[0]) body(place++, at);
  }
  /// All neighbors, each once.
  std::vector<Place> neighbors(Place place) const;

  /// Coordinates for messages, such as (x=1,y=2), without the dimensions of radix 1, in the order
  /// of the configuration.
  std::string describe(Place place) const;
  /// Shape for messages, such as "torus 6x5x1", or "torus 3mx4mx1" for a mesh.
  std::string shape() const;

 private:
  DimensionOrder order_;
  std::array<unsigned, kTorusDimensions> radix_{};
  std::array<bool, kTorusDimensions> mesh_{};
  std::array<Place, kTorusDimensions> stride_{};
  Place size_ = 1;
};

}  // namespace weft
