// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/planes/aggregated_ports.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace weft {
namespace {

using DeviceKey = std::pair<bool, Guid>;  // whether the device is a switch system, and its GUID

DeviceKey device_of(const Fabric& fabric, NodeId node) {
  const bool is_switch = fabric.is_switch(node);
  const Guid system = fabric.node(node).system_guid;
  return {is_switch, is_switch && system != Guid(0) ? system : fabric.node(node).node_guid};
}

bool has_port_in(const AggregatedPort& aggregated, std::uint8_t plane) {
  return std::ranges::find(aggregated.ports, plane, &PlanePort::plane) != aggregated.ports.end();
}

}  // namespace

std::vector<std::uint8_t> AggregatedPort::planes_without_link() const {
  std::set<std::uint8_t> found(missing.begin(), missing.end());
  for (const PlanePort& port : ports)
    if (!port.has_link) found.insert(port.plane);
  return {found.begin(), found.end()};
}

std::vector<AggregatedPort> aggregated_ports(const Fabric& fabric, const PlanarDevices& devices) {
  std::map<std::pair<DeviceKey, std::uint32_t>, AggregatedPort> found;
  std::map<DeviceKey, std::set<std::uint8_t>> of_device;
  for (const auto& [guid, device] : devices) {
    const auto node = fabric.find_node(guid);
    if (!node) continue;
    const DeviceKey key = device_of(fabric, *node);
    for (const auto& [num, place] : device.ports) {
      if (place.plane == 0 || num > fabric.node(*node).port_count) continue;
      const PortId port = fabric.port_id(*node, PortNum(num));
      if (fabric.fnm_end(port) != nullptr) continue;
      AggregatedPort& aggregated = found[{key, place.aport}];
      aggregated.planes = std::max(aggregated.planes, place.planes);
      aggregated.ports.push_back({place.plane, port, fabric.port(port).peer != kNoPort});
      of_device[key].insert(place.plane);
    }
  }
  std::vector<AggregatedPort> result;
  for (auto& [key, aggregated] : found) {
    std::tie(aggregated.is_switch, aggregated.device) = key.first;
    aggregated.number = key.second;
    std::ranges::sort(aggregated.ports, {},
                      [](const PlanePort& port) { return std::pair(port.plane, port.port); });
    std::set<std::uint8_t> expected = of_device[key.first];
    if (!aggregated.is_switch)
      for (std::uint8_t plane = 1; plane <= aggregated.planes; ++plane) expected.insert(plane);
    for (const std::uint8_t plane : expected)
      if (!has_port_in(aggregated, plane)) aggregated.missing.push_back(plane);
    result.push_back(std::move(aggregated));
  }
  return result;
}

std::map<std::uint8_t, std::uint64_t> count_without_link(
    const std::vector<AggregatedPort>& aggregated) {
  std::map<std::uint8_t, std::uint64_t> counts;
  for (const AggregatedPort& port : aggregated)
    for (const std::uint8_t plane : port.planes_without_link()) ++counts[plane];
  return counts;
}

}  // namespace weft
