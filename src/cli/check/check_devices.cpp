// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/check/check_devices.h"

#include <algorithm>
#include <map>
#include <utility>

#include "emulator/devices/device_profiles.h"
#include "fabric/aggregation.h"

namespace weft::cli {
namespace {

std::string_view type_text(NodeType type) {
  if (type == NodeType::kSwitch) return "switch";
  return type == NodeType::kRouter ? "router" : "CA";
}

void check_unknown(const std::vector<DeviceCount>& devices, Findings& findings) {
  std::size_t nodes = 0;
  for (const DeviceCount& device : devices)
    if (device.supports == kUnknownSupport) nodes += device.nodes;
  if (nodes > 0)
    findings.add(
        Severity::kNote,
        fmt::format("{} node{} of unknown device ids: weft emulate devices lists the known "
                    "ids",
                    nodes, nodes == 1 ? " is" : "s are"));
}

/// Reports switches of known devices that forward by their plain tables.
void check_adaptive(const Fabric& fabric, Findings& findings) {
  std::size_t plain = 0;
  const DeviceProfile* first = nullptr;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const DeviceProfile* profile = profile_of(fabric.node(SwitchId(s)));
    if (profile == nullptr || profile->adaptive == AdaptiveSupport::kFull) continue;
    if (plain++ == 0) first = profile;
  }
  if (plain > 0)
    findings.add(
        Severity::kNote,
        fmt::format("{} of {} switches have no adaptive routing, or an old version of it (the "
                    "first is {}): they forward by their plain tables",
                    plain, fabric.switch_count(), first->product));
}

/// Reports links below the speed that the devices at both ends have.
void check_speeds(const Fabric& fabric, Findings& findings) {
  std::size_t slow = 0;
  std::string first;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const Port& port = fabric.port(PortId(p));
    if (port.peer == kNoPort || port.peer < PortId(p)) continue;
    const DeviceProfile* own = profile_of(fabric.node(port.node));
    const DeviceProfile* peer = profile_of(fabric.node(fabric.port(port.peer).node));
    if (own == nullptr || peer == nullptr) continue;
    const LinkSpeed speed = std::min(own->speed, peer->speed);
    if (port.speed >= speed || is_aggregation_node(fabric.node(port.node)) ||
        is_aggregation_node(fabric.node(fabric.port(port.peer).node)))
      continue;
    if (slow++ == 0)
      first = fmt::format("{}: {}, {} and {} support {}", describe(fabric, PortId(p)),
                          name(port.speed), own->product, peer->product, name(speed));
  }
  if (slow > 0)
    findings.add(Severity::kNote,
                 fmt::format("{} link{} slower than the devices at both ends: the first is {}",
                             slow, slow == 1 ? " is" : "s are", first));
}

}  // namespace

std::vector<DeviceCount> count_devices(const Fabric& fabric) {
  std::map<const DeviceProfile*, std::size_t> known;
  std::map<std::pair<NodeType, std::uint16_t>, std::size_t> unknown;
  for (const Node& node : fabric.nodes()) {
    if (node.device_id == 0) continue;
    if (const DeviceProfile* profile = profile_of(node))
      ++known[profile];
    else
      ++unknown[{node.type, node.device_id}];
  }
  std::vector<DeviceCount> counts;
  for (const DeviceProfile& profile : device_profiles())
    if (const auto found = known.find(&profile); found != known.end())
      counts.push_back({std::string(profile.product), found->second, supported_features(profile)});
  for (const auto& [device, nodes] : unknown)
    counts.push_back(
        {fmt::format("{} of device id 0x{:04x}", type_text(device.first), device.second), nodes,
         std::string(kUnknownSupport)});
  return counts;
}

void check_devices(const Fabric& fabric, bool adaptive, Findings& findings) {
  check_unknown(count_devices(fabric), findings);
  if (adaptive) check_adaptive(fabric, findings);
  check_speeds(fabric, findings);
  const auto nodes = static_cast<std::size_t>(
      std::ranges::count_if(fabric.nodes(), [](const Node& n) { return is_aggregation_node(n); }));
  if (nodes > 0)
    findings.add(Severity::kNote,
                 fmt::format("{} aggregation node{} not count as hosts in the figures", nodes,
                             nodes == 1 ? " does" : "s do"));
}

}  // namespace weft::cli
