// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The links and lanes of a packet from end node to end node. This code follows the tables and
// uses neither engines nor the verifier.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft::credits {

/// One link of a path and the VL on it.
struct LaneHop {
  std::uint32_t link = 0;
  std::uint8_t vl = 0;
  bool operator==(const LaneHop&) const = default;
};

/// From the link between the source and its switch to the link that delivers the packet.
using LanePath = std::vector<LaneHop>;

/// Number of links. Links are numbered: first the channels between switches, then the links from
/// endports to their switches, then the links from switches to endports. The links of port 0 are
/// inside the switch.
std::uint32_t link_count(const Fabric& fabric);
/// Whether a link ends at an endport, which consumes every packet at once.
bool delivers(const Fabric& fabric, std::uint32_t link);

/// The path of a packet; empty if the packet does not arrive (no entry, a loop, or dropped by
/// SL2VL).
std::optional<LanePath> lane_path(const Fabric& fabric, const Routes& routes, EndportId source,
                                  Lid lid, Sl sl);

}  // namespace weft::credits
