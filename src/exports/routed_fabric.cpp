// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/routed_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fabric/link_rates.h"

namespace weft {
namespace {

constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

/// By NodeId: index of the host, kUnknown for nodes that are not hosts.
std::vector<std::uint32_t> host_of_nodes(const RoutedFabric& input) {
  std::vector<std::uint32_t> host_of(input.fabric.node_count(), kUnknown);
  for (std::uint32_t h = 0; h < input.hosts.size(); ++h)
    for (const NodeId adapter : input.hosts[h].adapters) host_of[adapter.value()] = h;
  return host_of;
}

/// Hop counts to a switch, kUnknown from switches that are not connected to it.
std::vector<std::uint32_t> hops_to(const Fabric& fabric, SwitchId to) {
  std::vector<std::uint32_t> hops(fabric.switch_count(), kUnknown);
  std::vector<SwitchId> row{to};
  hops[to.value()] = 0;
  for (std::size_t head = 0; head < row.size(); ++head)
    for (const Channel& channel : fabric.channels_from(row[head]))
      if (hops[channel.to.value()] == kUnknown) {
        hops[channel.to.value()] = hops[row[head].value()] + 1;
        row.push_back(channel.to);
      }
  return hops;
}

/// Hop count by the forwarding tables; nothing without a path.
std::optional<std::uint32_t> routed_hops(const Fabric& fabric, const Lfts& lfts, SwitchId from,
                                         const Endport& to) {
  for (std::uint32_t hops = 0; hops <= fabric.switch_count(); ++hops) {
    const PortNum out = lfts.port(from, to.lid);
    if (from == to.sw) return out == to.sw_port ? std::optional(hops) : std::nullopt;
    const ChannelId channel = fabric.channel_at(from, out);
    if (channel == kNoChannel) return {};
    from = fabric.channel(channel).to;
  }
  return {};
}

/// Number of nodes that the export does not treat as hosts: routers, aggregation nodes, CAs without
/// a switch.
std::uint32_t count_others(const RoutedFabric& input) {
  std::uint32_t adapters = 0;
  for (const Host& host : input.hosts) adapters += static_cast<std::uint32_t>(host.adapters.size());
  return input.fabric.ca_count() - adapters;
}

void add_routing_omissions(const RoutedFabric& input, const Capacity& capacity, const auto& add) {
  const Routes& routes = *input.routes;
  if (!capacity.routes) {
    const PathTally tally = tally_paths(input);
    add(fmt::format(
        "forwarding tables: the reader of the file selects paths itself; of {} paths of {} "
        "between hosts {} are longer than a shortest path",
        tally.pairs, routes.engine, tally.longer));
  }
  if (routes.path_sl.kind() != PathSl::Kind::kUniform || routes.vls > 1)
    add(fmt::format("service levels and virtual lanes: the routes of {} use {} VLs", routes.engine,
                    routes.vls));
  if (routes.adaptive) add("adaptive-routing groups");
  if (!routes.mfts.empty()) add("multicast forwarding tables");
  if (capacity.routes && !capacity.lids &&
      std::ranges::any_of(input.fabric.endports(), [](const Endport& e) { return e.lmc > 0; }))
    add("several LIDs of a port: the path of its base LID is written");
}

}  // namespace

std::vector<ExportLink> links_of(const RoutedFabric& input) {
  const Fabric& fabric = input.fabric;
  const auto hosts = static_cast<std::uint32_t>(input.hosts.size());
  std::vector<ExportLink> links;
  for (const HostPort& port : ports_of_hosts(input)) {
    const Endport& endport = fabric.endport(port.endport);
    links.push_back(
        {port.host, hosts + endport.sw.value(), endport.port, fabric.port(endport.port).peer});
  }
  for (const ChannelId id : fabric.cables()) {
    const Channel& channel = fabric.channel(id);
    links.push_back({hosts + channel.from.value(), hosts + channel.to.value(),
                     fabric.port_id(Fabric::node_of(channel.from), channel.from_port),
                     fabric.port_id(Fabric::node_of(channel.to), channel.to_port)});
  }
  return links;
}

std::string gigabits(const Port& port) {
  const std::uint32_t rate = link_rate(port);
  return rate % 10 == 0 ? fmt::format("{}", rate / 10) : fmt::format("{}.{}", rate / 10, rate % 10);
}

std::vector<HostPort> ports_of_hosts(const RoutedFabric& input) {
  const auto host_of = host_of_nodes(input);
  std::vector<HostPort> ports;
  for (std::uint32_t e = input.fabric.switch_count(); e < input.fabric.endport_count(); ++e) {
    const Endport& endport = input.fabric.endport(EndportId(e));
    if (endport.sw == kNoSwitch || host_of[endport.node.value()] == kUnknown) continue;
    ports.push_back({host_of[endport.node.value()], EndportId(e)});
  }
  std::ranges::stable_sort(ports, {}, &HostPort::host);
  return ports;
}

PathTally tally_paths(const RoutedFabric& input) {
  const Fabric& fabric = input.fabric;
  PathTally tally;
  const auto ports = ports_of_hosts(input);
  std::vector<std::vector<std::uint32_t>> hops(fabric.switch_count());
  for (const HostPort& to : ports) {
    const Endport& target = fabric.endport(to.endport);
    auto& shortest = hops[target.sw.value()];
    if (shortest.empty()) shortest = hops_to(fabric, target.sw);
    for (const HostPort& from : ports) {
      const SwitchId source = fabric.endport(from.endport).sw;
      if (from.host == to.host || shortest[source.value()] == kUnknown) continue;
      ++tally.pairs;
      const auto routed = routed_hops(fabric, input.routes->lfts, source, target);
      if (!routed) ++tally.without;
      if (routed && *routed > shortest[source.value()]) ++tally.longer;
    }
  }
  return tally;
}

std::vector<std::string> omissions(const RoutedFabric& input, std::string_view kind,
                                   const Capacity& capacity) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& what) {
    lines.push_back(fmt::format("{} cannot contain {}", kind, what));
  };
  const Fabric& fabric = input.fabric;
  if (const std::uint32_t others = count_others(input); !capacity.others && others > 0)
    add(fmt::format("routers, aggregation nodes and CAs without a switch: {} nodes are left out",
                    others));
  if (!capacity.rates) add("rates of links");
  std::uint32_t free_ports = 0;
  for (const Node& node : fabric.nodes()) free_ports += node.port_count;
  free_ports -= 2 * fabric.link_count();
  if (free_ports > 0 && !capacity.ports)
    add(fmt::format("ports without a cable: {} are left out", free_ports));
  if (!capacity.several_ports)
    if (const auto several =
            std::ranges::count_if(input.hosts, [](const Host& h) { return h.adapters.size() > 1; });
        several > 0)
      add(fmt::format("hosts with several adapters: each adapter of {} hosts is one host",
                      several));
  if (!capacity.lids && input.routes == nullptr &&
      std::ranges::any_of(fabric.endports(), [](const Endport& e) { return e.lid != kLidNone; }))
    add("LIDs");
  if (input.routes != nullptr) add_routing_omissions(input, capacity, add);
  return lines;
}

}  // namespace weft
