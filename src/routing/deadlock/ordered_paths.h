// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The paths of given tables and their lanes, during the assignment of lanes by ordered_lanes.h.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/shapes/trunks.h"

namespace weft::ordered {

using Mask = SwitchOrders::Mask;

inline constexpr std::uint8_t kNoTraffic = 0xFF;  // instead of the lane of a path without packets
inline constexpr std::uint8_t kUnfitted = 0xFE;   // of a path that agrees with no order
inline constexpr std::uint32_t kNoTrunk = 0xFFFFFFFF;  // instead of the index of a trunk

/// Paths by source switch and LID; the paths of a switch to consecutive LIDs are adjacent.
struct Paths {
  explicit Paths(const Fabric& fabric)
      : switches(fabric.switch_count()),
        lids(std::size_t{fabric.lid_top().value()} + 1),
        trunk(switches * lids, kNoTrunk),
        lane(trunk.size(), kNoTraffic) {}

  std::size_t at(std::size_t s, std::size_t lid) const { return s * lids + lid; }

  std::size_t switches;
  std::size_t lids;
  std::vector<std::uint32_t> trunk;  // by at(): index of the path's first trunk
  std::vector<std::uint8_t> lane;    // by at(): lane of the path, kNoTraffic or kUnfitted
};

/// The number of the first order of the mask, which is also its lane; kUnfitted if there is none.
inline std::uint8_t first_order(Mask agree) {
  return agree == 0 ? kUnfitted : static_cast<std::uint8_t>(std::countr_zero(agree));
}

inline constexpr std::size_t kPorts = 256;  // number of values of PortNum

/// Indices of trunks by switch and output port, kPorts for each switch; kNoTrunk for a port without
/// a trunk.
std::vector<std::uint32_t> trunks_by_port(const Fabric& fabric, const Trunks& trunks);

/// The common lane of all paths of a pair of switches, kNoTraffic or kUnfitted. `lids`: by switch.
std::uint8_t lane_of(std::span<const std::vector<Lid>> lids, std::size_t a, std::size_t b,
                     const Paths& paths);

}  // namespace weft::ordered
