// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/planar_devices.h"

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
  if (planes_ != 2 && planes_ != kPlanesMax) return;
  plane_of_switch_ = planes.of_switch;
  support_.assign(fabric.node_count(), PlaneSupport::kNone);
  std::uint32_t switches = 0, cas = 0;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const bool is_switch = n < fabric.switch_count();
    const Node& node = fabric.node(NodeId(n));
    const bool is_planar = is_switch ? plane_of_switch_[n] > 0
                                     : node.type == NodeType::kCa && node.port_count == planes_;
    const bool can_be_planar =
        device_has(fabric, NodeId(n), options.devices, DeviceFeature::kPlanes);
    if (is_planar && can_be_planar)
      support_[n] = support_of(options.planar, is_switch ? switches++ : cas++);
  }
}

PlanePlace PlanarDevices::place(NodeId node, PortNum port) const {
  PlanePlace place;
  place.planes = static_cast<std::uint8_t>(planes_);
  if (port == PortNum(0)) return {};
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
