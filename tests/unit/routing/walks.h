// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traversal of forwarding tables and shortest hops, based on ports and cables only, independent of
// the engines' helpers, so that their errors are detected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "fabric/fabric.h"
#include "fabric/generators/spec.h"
#include "fabric/lids.h"
#include "routes/lfts.h"
#include "routes/routes.h"
#include "support/tiny.h"

namespace weft {

inline constexpr unsigned kUnreachable = 0xFFFFFF;

/// A generated fabric with LIDs on all endports.
inline Fabric lidded(const std::string& spec, std::uint8_t lmc = 0) {
  const auto fabric = generate(spec);
  CHECK(fabric.has_value());
  const auto lids = assign_lids(*fabric, current_lids(*fabric), {.lmc = lmc});
  CHECK(lids.has_value());
  return *fabric->with_lids(*lids);
}

/// The host with this index on the switch.
inline EndportId host_at(const Fabric& fabric, SwitchId sw, std::size_t index) {
  return fabric.endports_at(sw)[index];
}

/// The output port of the switch for the first LID of the endport.
inline PortNum entry(const Fabric& fabric, const Routes& routes, SwitchId sw, EndportId to) {
  return routes.lfts.port(sw, fabric.endport(to).lid);
}

/// Two leaves S0 and S1 with `hosts` hosts each behind port 3 and up; port 1 to S2, port 2 to S3.
///   S2   S3
///   | \ / |
///   S0   S1
inline Fabric two_by_two(unsigned hosts, std::uint8_t lmc = 0) {
  return Tiny(4).link(0, 2).link(0, 3).link(1, 2).link(1, 3).hosts(0, hosts).hosts(1, hosts).build(lmc);
}

/// The switch cabled to this port, if there is one.
inline std::optional<std::uint32_t> switch_behind(const Fabric& fabric, std::uint32_t sw,
                                                  PortNum port) {
  const PortId id = fabric.port_id(NodeId(sw), port);
  if (id == kNoPort || fabric.port(id).peer == kNoPort) return std::nullopt;
  const NodeId peer = fabric.port(fabric.port(id).peer).node;
  if (!fabric.is_switch(peer) || peer.value() == sw) return std::nullopt;
  return peer.value();
}

/// Neighbours of every switch, once for each cable.
inline std::vector<std::vector<std::uint32_t>> neighbours(const Fabric& fabric) {
  std::vector<std::vector<std::uint32_t>> result(fabric.switch_count());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const Port& port : fabric.ports(SwitchId(s)))
      if (const auto to = switch_behind(fabric, s, port.num)) result[s].push_back(*to);
  return result;
}

/// Shortest hops from one switch, or from the nearest of several; kUnreachable if unreachable.
inline std::vector<unsigned> shortest_hops(const std::vector<std::vector<std::uint32_t>>& graph,
                                           const std::vector<std::uint32_t>& from) {
  std::vector<unsigned> hops(graph.size(), kUnreachable);
  for (const std::uint32_t s : from) hops[s] = 0;
  for (unsigned distance = 0; distance < graph.size(); ++distance)
    for (std::uint32_t s = 0; s < graph.size(); ++s)
      if (hops[s] == distance)
        for (const std::uint32_t to : graph[s])
          if (hops[to] == kUnreachable) hops[to] = distance + 1;
  return hops;
}

/// The switches that a packet visits from `start` to the switch of the LID; empty if it does not
/// arrive.
inline std::optional<std::vector<std::uint32_t>> walk(const Fabric& fabric, const Lfts& lfts,
                                                      std::uint32_t start, const Endport& to,
                                                      Lid lid) {
  std::vector<std::uint32_t> visited{start};
  while (visited.back() != to.sw.value()) {
    const auto next =
        switch_behind(fabric, visited.back(), lfts.port(SwitchId(visited.back()), lid));
    if (!next || visited.size() > fabric.switch_count()) return std::nullopt;
    visited.push_back(*next);
  }
  if (lfts.port(to.sw, lid) != to.sw_port) return std::nullopt;
  return visited;
}

/// Calls body(endport, lid) for each LID of each endport behind a switch.
template <class Body>
void for_each_lid(const Fabric& fabric, const Body& body) {
  for (const Endport& endport : fabric.endports()) {
    if (endport.sw == kNoSwitch) continue;
    for (unsigned i = 0; i < 1u << endport.lmc; ++i)
      body(endport, Lid(static_cast<std::uint16_t>(endport.lid.value() + i)));
  }
}

}  // namespace weft
