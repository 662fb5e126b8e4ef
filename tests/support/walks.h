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

/// The switch cabled to this port, if there is one.
std::optional<std::uint32_t> switch_behind(const Fabric& fabric, std::uint32_t sw, PortNum port);

/// Neighbors of every switch, once for each cable.
std::vector<std::vector<std::uint32_t>> neighbors(const Fabric& fabric);

/// Shortest hops from one switch, or from the nearest of several switches; kUnreachable if
/// unreachable.
std::vector<unsigned> shortest_hops(const std::vector<std::vector<std::uint32_t>>& graph,
                                    const std::vector<std::uint32_t>& from);

/// The switches that a packet visits from `start` to the switch of the LID; empty if it does not
/// arrive.
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
