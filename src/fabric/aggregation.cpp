// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/aggregation.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::uint16_t kAggregationDevice = 0xCF09;  // device ID of Mellanox aggregation nodes

}  // namespace

bool is_aggregation_node(const Node& node) {
  return node.type == NodeType::kCa &&
         (node.device_id == kAggregationDevice ||
          node.description.ends_with("Mellanox Technologies Aggregation Node"));
}

std::vector<EndportId> traffic_hosts(const Fabric& fabric) {
  std::vector<EndportId> hosts = fabric.hosts();
  std::erase_if(hosts, [&](EndportId host) {
    return is_aggregation_node(fabric.node(fabric.endport(host).node));
  });
  return hosts;
}

std::vector<std::uint32_t> traffic_ports_by_switch(const Fabric& fabric) {
  std::vector<std::uint32_t> ports(fabric.switch_count());
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e) {
    const Endport& endport = fabric.endport(EndportId(e));
    if (endport.sw != kNoSwitch && !is_aggregation_node(fabric.node(endport.node)))
      ++ports[endport.sw.value()];
  }
  return ports;
}

std::vector<bool> leaf_switches(const Fabric& fabric) {
  std::vector<std::uint32_t> ports = traffic_ports_by_switch(fabric);
  if (std::ranges::count(ports, 0u) == static_cast<std::ptrdiff_t>(ports.size()))
    for (std::uint32_t s = 0; s < ports.size(); ++s)
      ports[s] = static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size());
  std::vector<bool> leaves;
  for (const std::uint32_t count : ports) leaves.push_back(count > 0);
  return leaves;
}

}  // namespace weft
