// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The planarized devices of an emulated fabric and the places of their ports: CAs with a port in
// each of 2 or 4 planes (fabric/planes.h), and the switches of these planes, with one node for each
// plane. Switches with FNM ports and the same system image GUID have the same support. In a fabric
// without planes, but with cabled switch ports of width 2x (split ports), the option applies to all
// devices: HierarchyInfo has the positions of their ports.
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
  /// Whether a switch supports fabric-management (FNM) ports and has such ports in the fabric. Such
  /// a switch announces ExtendedPortInfo. An FNM link without such a switch at an end has no cable.
  bool has_fnm_ports(NodeId node) const {
    return !has_fnm_.empty() && has_fnm_[node.value()] && support(node) == PlaneSupport::kAll;
  }
  /// The FNM bits of a port of a switch with has_fnm_ports(). In systems with an even GUID, mission
  /// ports are used as FNM ports.
  FnmPort fnm_port(PortId port) const;
  /// The other end of the FNM link of a port; kNoPort if the link has no cable.
  PortId fnm_peer(PortId port) const;
  /// The place of a port in its device, which must announce HierarchyInfo. Port 0 and FNM ports
  /// have no plane.
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
  std::vector<bool> has_fnm_;          // by node: has FNM ports in the fabric; empty: none has
};

}  // namespace weft::emulator
