// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Aggregated ports (APorts) of planarized devices, with the plane ports of each, from the planes
// that devices state in HierarchyInfo.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fabric/fabric.h"
#include "sm/planes/plane_memory.h"

namespace weft {

/// A port of an APort in one plane.
struct PlanePort {
  std::uint8_t plane = 0;  // from 1
  PortId port = kNoPort;
  bool has_link = false;
  bool operator==(const PlanePort&) const = default;
};

struct AggregatedPort {
  /// Of a switch: GUID of its system: an APort may have ports of several nodes of it. Of a CA: GUID
  /// of the node.
  Guid device;
  bool is_switch = false;
  std::uint32_t number = 0;      // within the device
  std::uint8_t planes = 0;       // planes of the APort, as its ports state
  std::vector<PlanePort> ports;  // by ascending plane
  /// Planes without a known port: of a CA, those below or equal to `planes`; of a switch system,
  /// those in which another of its APorts has a port. A port is known once it had a link.
  std::vector<std::uint8_t> missing;

  /// Planes in which the APort has no link, ascending.
  std::vector<std::uint8_t> planes_without_link() const;
  bool operator==(const AggregatedPort&) const = default;
};

/// In the order of device and number. Devices and ports that the fabric lacks are left out.
std::vector<AggregatedPort> aggregated_ports(const Fabric& fabric, const PlanarDevices& devices);

/// By plane: the number of APorts without a link in it.
std::map<std::uint8_t, std::uint64_t> count_without_link(
    const std::vector<AggregatedPort>& aggregated);

}  // namespace weft
