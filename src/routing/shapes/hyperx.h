// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Coordinates of each switch in a HyperX, the cartesian product of complete graphs, found from the
// links alone; and paths in dimension order, which need one lane. Source: Ahn, Binkert, Davis,
// McLaren, Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient Large-Scale Networks",
// SC 2009.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/hop_dag.h"
#include "routing/shapes/trunks.h"

namespace weft {

struct Hyperx {
  std::size_t dimensions = 0;
  std::vector<std::uint32_t> place;  // by switch, then dimension

  std::uint32_t at(std::uint32_t sw, std::size_t dimension) const {
    return place[sw * dimensions + dimension];
  }
  /// The first dimension in which two switches have different coordinates; they must be different
  /// switches.
  std::size_t first_between(std::uint32_t one, std::uint32_t other) const;
  /// The number of dimensions in which two switches have different coordinates, which is their
  /// distance in hops.
  std::size_t hops(std::uint32_t one, std::uint32_t other) const;
};

/// Finds the coordinates. Returns nullopt if a cable or switch is missing; a trunk may have fewer
/// cables than other trunks. A hypercube is a HyperX with lines of two switches, and a complete
/// graph is a HyperX of one dimension. Cost: O(trunks * dimensions).
std::optional<Hyperx> find_hyperx(const Trunks& trunks);

/// One next hop for each switch: along the first dimension in which the coordinates of switch and
/// destination differ.
void make_dimension_dag(const Fabric& fabric, std::span<const std::uint32_t> heads,
                        const Hyperx& hyperx, SwitchId destination, HopDag& dag);

}  // namespace weft
