// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Distances of all pairs of switches, and the pairs by distance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/trunks.h"
#include "routing/tables/destinations.h"

namespace weft::layering {

struct Pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

struct Distances {
  std::vector<std::uint16_t> hops;       // hop counts, row by destination
  std::vector<std::vector<Pair>> pairs;  // by distance

  /// Sum of the turns of one shortest path for each ordered pair.
  double turns() const {
    double found = 0;
    for (std::size_t i = 2; i < pairs.size(); ++i)
      found += 2 * static_cast<double>((i - 1) * pairs[i].size());
    return found;
  }
};

/// Pairs of one distance are sorted in blocks by the positions of the switches in `order`, which
/// must have all switches.
Distances measure_distances(const Fabric& fabric, const Trunks& trunks,
                            std::span<const Destination> order, unsigned threads);

}  // namespace weft::layering
