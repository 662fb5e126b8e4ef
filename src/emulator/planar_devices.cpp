// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/planar_devices.h"

#include <map>

#include "fabric/planes.h"

namespace weft::emulator {
namespace {

PlaneSupport support_of(PlanarSupport option, std::uint32_t index) {
  switch (option) {
    case PlanarSupport::kNone:
      return PlaneSupport::kNone;
    case PlanarSupport::kAll:
      return PlaneSupport::kAll;
    case PlanarSupport::kSilent:
      return PlaneSupport::kSilent;
    case PlanarSupport::kMixed:
      break;
  }
  constexpr std::array kMixedKinds{PlaneSupport::kAll, PlaneSupport::kNone, PlaneSupport::kPart,
                                   PlaneSupport::kSilent};
  return kMixedKinds[index % kMixedKinds.size()];
}

}  // namespace

PlanarDevices::PlanarDevices(const Fabric& fabric, const EmulatorOptions& options)
    : fabric_(fabric) {
  if (options.planar == PlanarSupport::kNone) return;
  const Planes planes = find_planes(fabric);
  planes_ = static_cast<unsigned>(planes.planes.size());
  if (planes_ != 2 && planes_ != kPlanesMax) {
    support_split_ports(options.planar);
    return;
  }
  plane_of_switch_ = planes.of_switch;
  support_.assign(fabric.node_count(), PlaneSupport::kNone);
  for (const FnmEnd& end : fabric.fnm_ends()) {
    has_fnm_.resize(fabric.node_count(), false);
    has_fnm_[fabric.port(end.port).node.value()] = true;
  }
  std::map<Guid, std::uint32_t> systems;  // number of each switch system with FNM ports
  std::uint32_t switches = 0, cas = 0;
  const auto number_of = [&](std::uint32_t n) {
    if (n >= fabric.switch_count()) return cas++;
    if (has_fnm_.empty() || !has_fnm_[n]) return switches++;
    const auto number = static_cast<std::uint32_t>(systems.size());
    return systems.try_emplace(fabric.node(NodeId(n)).system_guid, number).first->second;
  };
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const bool is_switch = n < fabric.switch_count();
    const Node& node = fabric.node(NodeId(n));
    const bool is_planar = is_switch ? plane_of_switch_[n] > 0
                                     : node.type == NodeType::kCa && node.port_count == planes_;
    const bool can_be_planar =
        device_has(fabric, NodeId(n), options.devices, DeviceFeature::kPlanes);
    if (is_planar && can_be_planar) support_[n] = support_of(options.planar, number_of(n));
  }
}

FnmPort PlanarDevices::fnm_port(PortId port) const {
  if (fabric_.fnm_end(port) == nullptr) return {};
  const bool is_mission = fabric_.node(fabric_.port(port).node).system_guid.value() % 2 == 0;
  return {.is_fnm = !is_mission, .is_mission_port = is_mission};
}

PortId PlanarDevices::fnm_peer(PortId port) const {
  const FnmEnd* const end = fabric_.fnm_end(port);
  if (end == nullptr || end->peer == kNoPort) return kNoPort;
  const bool is_supported =
      has_fnm_ports(fabric_.port(port).node) || has_fnm_ports(fabric_.port(end->peer).node);
  return is_supported ? end->peer : kNoPort;
}

void PlanarDevices::support_split_ports(PlanarSupport option) {
  planes_ = 0;
  const auto is_split = [&](std::uint32_t p) {
    const Port& port = fabric_.port(PortId(p));
    return port.peer != kNoPort && port.width == LinkWidth::k2x && fabric_.is_switch(port.node);
  };
  bool has_split_ports = false;
  for (std::uint32_t p = 0; p < fabric_.port_count() && !has_split_ports; ++p)
    has_split_ports = is_split(p);
  if (!has_split_ports) return;
  for (std::uint32_t n = 0; n < fabric_.node_count(); ++n) {
    const PlaneSupport support = support_of(option, n);
    support_.push_back(support == PlaneSupport::kAll ? PlaneSupport::kPart : support);
  }
}

std::vector<HierarchyInfo> PlanarDevices::hierarchy(NodeId node, PortNum port) const {
  constexpr std::uint64_t kNdr = 3, kSwitchOfPlane = 4, kCaWithPlanes = 5, kPort0 = 6;
  const std::uint32_t number = port.value();
  const PlanePlace at = place(node, port);
  const std::uint32_t system = node.value() + 1;
  if (port == PortNum(0))
    return hierarchy_blocks(kPort0, at, {.device = 1, .board = 1, .system = system});
  const bool is_split =
      fabric_.port(fabric_.port_id(node, port)).width == LinkWidth::k2x && fabric_.is_switch(node);
  HardwarePlace hardware{.asic = at.asic, .cage = number, .port = number, .split = 0};
  if (is_split) hardware.cage = (number + 1) / 2, hardware.split = (number - 1) % 2 + 1;
  if (planes_ == 0) {
    hardware.slot = hardware.asic = 1;
    return hierarchy_blocks(kNdr, at, hardware);
  }
  if (fabric_.is_switch(node)) return hierarchy_blocks(kSwitchOfPlane, at, hardware);
  hardware.cage = 1;  // the plane ports of a CA are in the cage of its APort
  hardware.device = hardware.board = 1;
  hardware.system = system;
  return hierarchy_blocks(kCaWithPlanes, at, hardware);
}

PlanePlace PlanarDevices::place(NodeId node, PortNum port) const {
  PlanePlace place;
  place.planes = static_cast<std::uint8_t>(planes_);
  if (port == PortNum(0) || planes_ == 0) return {};
  if (fabric_.fnm_end(fabric_.port_id(node, port)) != nullptr) return {};
  if (fabric_.is_switch(node)) {
    place.plane = static_cast<std::uint8_t>(plane_of_switch_[node.value()]);
    place.aport = port.value();
    place.asic = place.plane;
  } else {
    place.plane = port.value();
    place.aport = 1;
  }
  return place;
}

}  // namespace weft::emulator
