// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/switch_graph.h"

#include <algorithm>

#include "fabric/aggregation.h"

namespace weft {

bool SwitchGraph::are_linked(std::uint32_t a, std::uint32_t b) const {
  const auto row = of(a);
  const auto at = std::ranges::lower_bound(row, b, {}, &Edge::to);
  return at != row.end() && at->to == b;
}

SwitchGraph make_switch_graph(const Fabric& fabric) {
  SwitchGraph graph;
  graph.begin.push_back(0);
  std::vector<std::uint32_t> peers;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    peers.clear();
    for (const Channel& channel : fabric.channels_from(SwitchId(s)))
      peers.push_back(channel.to.value());
    std::ranges::sort(peers);
    for (const std::uint32_t peer : peers) {
      if (graph.edges.size() == graph.begin.back() || graph.edges.back().to != peer)
        graph.edges.push_back({peer, 0});
      ++graph.edges.back().cables;
    }
    graph.begin.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    const Guid system = fabric.node(SwitchId(s)).system_guid;
    std::uint32_t hosts = 0;
    for (const EndportId host : fabric.endports_at(SwitchId(s))) {
      const Node& node = fabric.node(fabric.endport(host).node);
      if (is_aggregation_node(node)) continue;
      const Guid host_system = node.system_guid;
      if (host_system != system || host_system == Guid(0)) ++hosts;
    }
    graph.hosts.push_back(hosts);
  }
  return graph;
}

SwitchGraph part_of(const SwitchGraph& graph, std::span<const std::uint32_t> members) {
  std::vector<std::uint32_t> place(graph.size(), kNoComponent);
  for (std::uint32_t i = 0; i < members.size(); ++i) place[members[i]] = i;
  SwitchGraph part;
  part.begin.push_back(0);
  for (const std::uint32_t member : members) {
    for (const SwitchGraph::Edge& edge : graph.of(member))
      if (place[edge.to] != kNoComponent) part.edges.push_back({place[edge.to], edge.cables});
    part.begin.push_back(static_cast<std::uint32_t>(part.edges.size()));
    part.hosts.push_back(graph.hosts[member]);
  }
  return part;
}

SwitchComponents components(const SwitchGraph& graph, const std::vector<bool>* keep) {
  SwitchComponents found{std::vector<std::uint32_t>(graph.size(), kNoComponent), 0};
  std::vector<std::uint32_t> open;
  for (std::uint32_t s = 0; s < graph.size(); ++s) {
    if (found.of[s] != kNoComponent || (keep && !(*keep)[s])) continue;
    found.of[s] = found.count;
    open.assign(1, s);
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const SwitchGraph::Edge& edge : graph.of(at)) {
        if (found.of[edge.to] != kNoComponent || (keep && !(*keep)[edge.to])) continue;
        found.of[edge.to] = found.count;
        open.push_back(edge.to);
      }
    }
    ++found.count;
  }
  return found;
}

}  // namespace weft
