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
  /// GUID of the CA, of the switch system, or of a switch without a system image GUID. An APort of
  /// a switch system may have ports of several switches.
  Guid device;
  bool is_switch = false;
  std::uint32_t number = 0;      // within the device
  std::uint8_t planes = 0;       // number of planes of the APort, according to its ports
  std::vector<PlanePort> ports;  // by ascending plane
  /// Planes in which the APort should have a port, but none is known: on a CA planes 1 to `planes`;
  /// on every device the planes of its other APorts. A port is known once it had a link.
  std::vector<std::uint8_t> missing;

  /// Planes in which the APort has no link, ascending.
  std::vector<std::uint8_t> planes_without_link() const;
  bool operator==(const AggregatedPort&) const = default;
};

/// The APorts: first those of CAs, then those of switch systems, in the order of device GUID and
/// number. Devices and ports that the fabric lacks, ports in no plane and FNM ports are left out.
std::vector<AggregatedPort> aggregated_ports(const Fabric& fabric, const PlanarDevices& devices);

/// The number of APorts without a link in a plane, by plane; planes in which all APorts have links
/// are left out.
std::map<std::uint8_t, std::uint64_t> count_without_link(
    const std::vector<AggregatedPort>& aggregated);

}  // namespace weft
