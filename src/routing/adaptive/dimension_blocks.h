// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Dimension order in blocks of two dimensions: a packet completes the dimensions of one block, in
// any order, before the next block. So channels of a later block never precede channels of an
// earlier block, and the virtual lane in each block depends only on the positions of the two ends
// in the block.
//
// A block of two lines or complete graphs needs two lanes: lane 1 for pairs with one ascending and
// one descending coordinate, and lane 0 for all other pairs. On lane 0 every hop of a packet
// changes the sum of the coordinates in the same direction, on lane 1 their difference. So no turn
// connects the two directions. A reply has the lane of its request. Source: planar adaptive
// routing, A. A. Chien, J. H. Kim, "Planar-Adaptive Routing", JACM 42(1), 1995. The lanes of blocks
// with rings are those of choice_layers.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/grid.h"
#include "routing/shapes/hyperx.h"

namespace weft {

/// Coordinates of the switches of a product of lines, rings and complete graphs.
struct Coordinates {
  std::vector<std::uint32_t> sizes;  // by dimension
  std::vector<bool> closed;          // by dimension: whether the dimension is a ring
  std::vector<std::uint32_t> place;  // coordinates by switch, then by dimension

  std::uint32_t at(std::uint32_t sw, std::size_t dimension) const {
    return place[sw * sizes.size() + dimension];
  }
};
Coordinates coordinates_of(const Grid& grid);
Coordinates coordinates_of(const Hyperx& hyperx);

/// One or two consecutive dimensions. A position is a number for the coordinates in these
/// dimensions.
struct DimensionBlock {
  std::size_t first = 0;
  std::size_t end = 0;
  std::uint32_t positions = 1;     // number of positions
  unsigned lanes = 1;              // number of lanes
  bool adaptive = true;            // false: the first dimension is completed before the second
  std::vector<std::uint8_t> lane;  // by pair of positions, symmetric; empty: lane 0
  /// Sorted keys (see key()) of the next hops that would close a cycle.
  std::vector<std::uint64_t> left_out;

  std::uint32_t position(const Coordinates& coordinates, std::uint32_t sw) const;
  std::uint8_t lane_of(std::uint32_t one, std::uint32_t other) const {
    return lane.empty() ? std::uint8_t{0} : lane[std::size_t{one} * positions + other];
  }
  /// Key of the next hop from position `from` to position `by`, for the destination position `to`.
  std::uint64_t key(std::uint32_t from, std::uint32_t by, std::uint32_t to) const {
    return (std::uint64_t{from} * positions + by) * positions + to;
  }
};

/// Divides the dimensions into blocks. Each combination of lanes of the blocks has an SL, so there
/// are at most kSlCount combinations. If these are too few, or with one lane, the remaining blocks
/// of lines and complete graphs are not adaptive. Returns nullopt if blocks with rings need more
/// combinations, or more than `lanes_max` lanes, or if a fabric with rings has a switch without
/// hosts.
std::optional<std::vector<DimensionBlock>> make_blocks(const Fabric& fabric,
                                                       const Coordinates& coordinates,
                                                       unsigned lanes_max);

}  // namespace weft
