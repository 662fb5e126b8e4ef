// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The planarized devices of an emulated fabric and the places of their ports: CAs with a port in
// each of 2 or 4 planes (fabric/planes.h), and the switches of these planes, with one node for each
// plane. In a fabric without planes, but with cabled switch ports of width 2x (split ports), the
// option applies to all devices: HierarchyInfo has the positions of their ports.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/options.h"
#include "fabric/fabric.h"
#include "ib/vendor/planes.h"

namespace weft::emulator {

/// Plane attributes that a device supports; PlanarSupport selects the value.
enum class PlaneSupport : std::uint8_t {
  kNone,  // not announced
  kAll,
  kPart,   // HierarchyInfo only
  kSilent  // announced, but no responses
};

class PlanarDevices {
 public:
  PlanarDevices(const Fabric& fabric, const EmulatorOptions& options);

  PlaneSupport support(NodeId node) const {
    return support_.empty() ? PlaneSupport::kNone : support_[node.value()];
  }
  bool announces(NodeId node) const { return support(node) != PlaneSupport::kNone; }
  /// The place of a port in its device, which must announce HierarchyInfo. Port 0 has no plane.
  PlanePlace place(NodeId node, PortNum port) const;
  /// The blocks of HierarchyInfo of a port, which must announce it: template 4 at switches of
  /// planes, 5 at CAs with planes, 3 at devices without planes, 6 at port 0. Two 2x ports share a
  /// cage; other ports have a cage each.
  std::vector<HierarchyInfo> hierarchy(NodeId node, PortNum port) const;
  unsigned planes() const { return planes_; }

 private:
  void support_split_ports(PlanarSupport option);

  const Fabric& fabric_;
  unsigned planes_ = 0;
  std::vector<std::uint32_t> plane_of_switch_;
  std::vector<PlaneSupport> support_;  // by node; empty: no device is planarized
};

}  // namespace weft::emulator
