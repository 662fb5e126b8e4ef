// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Plane attributes that planarized devices returned, kept from sweep to sweep.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ib/ids.h"
#include "ib/vendor/planes.h"

namespace weft {

/// A node that announces HierarchyInfo.
struct PlanarDevice {
  std::map<std::uint8_t, PlanePlace> ports;         // ports with planes, by port number
  std::map<std::uint8_t, HardwarePlace> positions;  // ports that were read, port 0 included
  std::optional<ExtendedNodeInfo> node;
  bool is_complete = false;  // ExtendedNodeInfo was read, is not supported, or was not answered
  bool operator==(const PlanarDevice&) const = default;
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
};

}  // namespace weft
