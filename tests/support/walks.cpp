// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/walks.h"

namespace weft {

EndportId host_at(const Fabric& fabric, SwitchId sw, std::size_t index) {
  return fabric.endports_at(sw)[index];
}

PortNum entry(const Fabric& fabric, const Routes& routes, SwitchId sw, EndportId to) {
  return routes.lfts.port(sw, fabric.endport(to).lid);
}

std::optional<std::uint32_t> switch_behind(const Fabric& fabric, std::uint32_t sw, PortNum port) {
  const PortId id = fabric.port_id(NodeId(sw), port);
  if (id == kNoPort || fabric.port(id).peer == kNoPort) return std::nullopt;
  const NodeId peer = fabric.port(fabric.port(id).peer).node;
  if (!fabric.is_switch(peer) || peer.value() == sw) return std::nullopt;
  return peer.value();
}

std::vector<std::vector<std::uint32_t>> neighbors(const Fabric& fabric) {
  std::vector<std::vector<std::uint32_t>> result(fabric.switch_count());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const Port& port : fabric.ports(SwitchId(s)))
      if (const auto to = switch_behind(fabric, s, port.num)) result[s].push_back(*to);
  return result;
}

std::vector<unsigned> shortest_hops(const std::vector<std::vector<std::uint32_t>>& graph,
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

std::optional<std::vector<std::uint32_t>> walk(const Fabric& fabric, const Lfts& lfts,
                                               std::uint32_t start, const Endport& to, Lid lid) {
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

}  // namespace weft
