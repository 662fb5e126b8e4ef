// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/jobs/job_traffic.h"

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "exports/names.h"

namespace weft {
namespace {

/// A port of the job, with the index of its host in the list of hosts.
struct JobPort {
  EndportId endport;
  std::size_t host = 0;
};

std::vector<JobPort> ports_of_job(const Fabric& fabric, std::span<const std::string> names,
                                  std::vector<std::string>& missing) {
  const std::vector<Host> hosts = hosts_of(fabric, {});
  std::unordered_map<std::string_view, const Host*> by_name;
  for (const Host& host : hosts) by_name.emplace(host.name, &host);
  std::vector<JobPort> ports;
  for (std::size_t h = 0; h < names.size(); ++h) {
    const auto found = by_name.find(names[h]);
    const std::size_t before = ports.size();
    if (found != by_name.end())
      for (const NodeId adapter : found->second->adapters)
        for (const Port& port : fabric.ports(adapter).subspan(1)) {
          const EndportId endport = fabric.endport_at(fabric.port_id(adapter, port.num));
          if (endport != kNoEndport && fabric.endport(endport).addressed())
            ports.push_back({endport, h});
        }
    if (ports.size() == before) missing.push_back(names[h]);
  }
  return ports;
}

/// The number of ports of the job at a leaf, and the number of target ports of the job that are
/// reachable from the leaf. Both are stored in total and by host.
struct LeafPorts {
  std::uint32_t count = 0;
  std::uint64_t reached = 0;
  std::unordered_map<std::size_t, std::uint32_t> by_host;
  std::unordered_map<std::size_t, std::uint64_t> reached_of_host;
};

/// The ports that forward a packet from a switch to an endport, in order; empty if the endport is
/// unreachable.
std::optional<std::vector<PortId>> senders_between(const Snapshot& snapshot, SwitchId from,
                                                   const Endport& to) {
  const Fabric& fabric = snapshot.fabric;
  std::vector<PortId> senders;
  for (SwitchId at = from; senders.size() <= fabric.switch_count();) {
    const PortNum out = snapshot.routes.lfts.port(at, to.lid);
    if (out == kNoRoute) return std::nullopt;
    const PortId port = fabric.port_id(Fabric::node_of(at), out);
    if (port == kNoPort || fabric.port(port).peer == kNoPort) return std::nullopt;
    senders.push_back(port);
    const NodeId next = fabric.port(fabric.port(port).peer).node;
    if (next == to.node) return senders;
    if (!fabric.is_switch(next)) return std::nullopt;
    at = SwitchId(next.value());
  }
  return std::nullopt;
}

}  // namespace

std::vector<Guid> nodes_of_hosts(const Fabric& fabric, std::span<const std::string> hosts) {
  const std::set<std::string_view> wanted(hosts.begin(), hosts.end());
  std::vector<Guid> nodes;
  for (const Host& host : hosts_of(fabric, {}))
    if (wanted.contains(host.name))
      for (const NodeId adapter : host.adapters) nodes.push_back(fabric.node(adapter).node_guid);
  return nodes;
}

JobTraffic job_traffic(const Snapshot& snapshot, std::span<const std::string> hosts) {
  const Fabric& fabric = snapshot.fabric;
  JobTraffic traffic;
  traffic.pairs.assign(fabric.port_count(), 0);
  const std::vector<JobPort> ports = ports_of_job(fabric, hosts, traffic.missing_hosts);
  std::map<SwitchId, LeafPorts> leaves;
  for (const JobPort& port : ports) {
    LeafPorts& leaf = leaves[fabric.endport(port.endport).sw];
    ++leaf.count;
    ++leaf.by_host[port.host];
  }
  for (const JobPort& target : ports) {
    const Endport& to = fabric.endport(target.endport);
    for (auto& [sw, leaf] : leaves) {
      const auto own = leaf.by_host.find(target.host);
      const std::uint32_t pairs = leaf.count - (own == leaf.by_host.end() ? 0 : own->second);
      if (pairs == 0) continue;
      const auto senders = senders_between(snapshot, sw, to);
      if (!senders) {
        traffic.unreachable += pairs;
        continue;
      }
      for (const PortId sender : *senders) traffic.pairs[sender.value()] += pairs;
      ++leaf.reached;
      if (own != leaf.by_host.end()) ++leaf.reached_of_host[target.host];
    }
  }
  for (const JobPort& source : ports) {
    const Endport& from = fabric.endport(source.endport);
    const LeafPorts& leaf = leaves[from.sw];
    const auto own = leaf.reached_of_host.find(source.host);
    traffic.pairs[from.port.value()] += static_cast<std::uint32_t>(
        leaf.reached - (own == leaf.reached_of_host.end() ? 0 : own->second));
  }
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p)
    if (traffic.pairs[p] > 0) traffic.senders.push_back(PortId(p));
  return traffic;
}

}  // namespace weft
