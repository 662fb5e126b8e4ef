// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hop counts: by the forwarding tables, and on shortest paths in the fabric.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

inline constexpr std::uint8_t kHopsUnknown = 255;
inline constexpr std::uint8_t kHopsCountedMax = 254;  // hop counts of 254 or more

/// A byte for each pair of a switch and a destination, row by row.
struct HopTable {
  std::size_t columns = 0;
  std::vector<std::uint8_t> bytes;
  std::uint8_t at(SwitchId sw, std::size_t column) const {
    return bytes[sw.value() * columns + column];
  }
};

/// Hop counts between switches; column = SwitchId. Cost: switches * channels time, switches^2
/// bytes.
HopTable switch_distances(const Fabric& fabric);

/// Hop counts by the forwarding tables from a switch to a LID (column), including the cable of a CA
/// or router; kHopsUnknown if unreachable. Columns 0 to fabric.lid_top().
HopTable walked_hops(const Fabric& fabric, const Lfts& lfts);

}  // namespace weft
