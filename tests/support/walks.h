// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traversal of forwarding tables and shortest hops, based on ports and cables only, independent of
// the helpers of engines, so that errors in these helpers are detected.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routes/routes.h"
#include "support/fabric_of.h"
#include "support/tiny.h"

namespace weft {

inline constexpr unsigned kUnreachable = 0xFFFFFF;

/// The host with this index on the switch.
EndportId host_at(const Fabric& fabric, SwitchId sw, std::size_t index);

/// The output port of the switch for the first LID of the endport.
PortNum entry(const Fabric& fabric, const Routes& routes, SwitchId sw, EndportId to);

/// The other switch to which this port is cabled; nullopt without a cable, or if the cable leads to
/// a host or to the same switch.
std::optional<std::uint32_t> switch_behind(const Fabric& fabric, std::uint32_t sw, PortNum port);

/// Neighbors of every switch, once for each cable, without cables of a switch to itself.
std::vector<std::vector<std::uint32_t>> neighbors(const Fabric& fabric);

/// Hop counts of the shortest paths to each switch from the nearest of the switches `from`;
/// kUnreachable if there is no path.
std::vector<unsigned> shortest_hops(const std::vector<std::vector<std::uint32_t>>& graph,
                                    const std::vector<std::uint32_t>& from);

/// The switches that a packet for `lid` visits from `start` to the switch of the endport `to`;
/// nullopt if the packet does not arrive at the endport.
std::optional<std::vector<std::uint32_t>> walk(const Fabric& fabric, const Lfts& lfts,
                                               std::uint32_t start, const Endport& to, Lid lid);

/// Calls body(endport, lid) for each LID of each endport that is cabled to a switch.
template <class Body>
void for_each_lid(const Fabric& fabric, const Body& body) {
  for (const Endport& endport : fabric.endports()) {
    if (endport.sw == kNoSwitch) continue;
    for (unsigned i = 0; i < 1u << endport.lmc; ++i)
      body(endport, Lid(static_cast<std::uint16_t>(endport.lid.value() + i)));
  }
}

}  // namespace weft
