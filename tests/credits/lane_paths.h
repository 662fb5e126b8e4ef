// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The links and lanes of a packet from end node to end node. This code follows the tables itself;
// it uses neither engines nor the verifier.
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

/// Numbers of links: the channels between switches, then the links from endports to their switches,
/// then those from switches to endports (for port 0 of a switch: inside the switch).
std::uint32_t link_count(const Fabric& fabric);
/// Whether a link ends at an endport, which consumes every packet at once.
bool delivers(const Fabric& fabric, std::uint32_t link);

/// The path of a packet; empty if it does not arrive (no entry, a loop, or dropped by SL2VL).
std::optional<LanePath> lane_path(const Fabric& fabric, const Routes& routes, EndportId source,
                                  Lid lid, Sl sl);

}  // namespace weft::credits
