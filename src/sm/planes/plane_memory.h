// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Plane attributes that planarized devices returned, kept from sweep to sweep.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fnm_rings.h"
#include "ib/ids.h"
#include "ib/vendor/planes.h"
#include "sm/pauses.h"

namespace weft {

/// A node that announces HierarchyInfo.
struct PlanarDevice {
  std::map<std::uint8_t, PlanePlace> ports;         // ports with planes, by port number
  std::map<std::uint8_t, HardwarePlace> positions;  // ports that were read, port 0 included
  /// Switch ports of which ExtendedPortInfo was read, with or without a link.
  std::map<std::uint8_t, FnmPort> fnm;
  bool refuses_extended_ports = false;  // ExtendedPortInfo is not requested again
  std::optional<ExtendedNodeInfo> node;
  bool is_complete = false;  // ExtendedNodeInfo was read, is not supported, or was not answered
  bool operator==(const PlanarDevice&) const = default;
};

/// Clears the values of HierarchyInfo and ExtendedNodeInfo, and keeps those of ExtendedPortInfo.
inline void forget_hierarchy(PlanarDevice& device) {
  PlanarDevice kept;
  kept.fnm = std::move(device.fnm);
  kept.refuses_extended_ports = device.refuses_extended_ports;
  device = std::move(kept);
}

/// Pauses before devices that did not answer are queried again.
struct PlanePauses {
  DevicePauses hierarchy;
  DevicePauses fnm;  // ExtendedPortInfo, for FNM ports
};

/// Planarized devices by node GUID.
using PlanarDevices = std::map<Guid, PlanarDevice>;

/// Counts for reports.
struct PlaneReport {
  std::uint64_t devices = 0;         // devices that announce HierarchyInfo
  std::uint64_t answering = 0;       // devices with at least one known port
  std::uint64_t multiplane_cas = 0;  // CAs that announce several planes
  std::uint64_t ports = 0;           // ports with a known plane
  std::uint32_t stated = 0;          // number of planes that CAs announce; 0: none announces it
  /// Links between different planes, links between a plane and no plane, and networks with switches
  /// that state different planes.
  std::uint64_t contradictions = 0;
  std::vector<std::string> deviations;  // the first contradictions as text
  std::uint64_t fnm_ports = 0;
  std::uint64_t fnm_links = 0;
  std::uint64_t fnm_systems = 0;                  // systems of several switches with FNM ports
  std::vector<FnmRingFinding> fnm_ring_findings;  // of systems with a ring that is not closed
};

}  // namespace weft
