// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The virtual ports (vports) of a CA port, with their attributes as defined in ib/vendor/vports.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/options.h"
#include "fabric/fabric.h"
#include "ib/smp.h"
#include "ib/vendor/vports.h"

namespace weft::emulator {

/// Identity of a virtual machine; a live migration moves it to another CA port.
struct VirtualIdentity {
  Guid port;
  Guid node;
  std::string description;
  std::vector<Guid> aliases{};  // further GUIDs, in VPortGUIDInfo
  bool operator==(const VirtualIdentity&) const = default;
};

struct Vport {
  VportInfo info;
  VnodeInfo node;
  std::string description;
  std::vector<SmpData> pkeys;         // blocks of its P_Key table
  std::vector<SmpData> guids;         // blocks of its VPortGUIDInfo
  std::uint32_t reregistrations = 0;  // Sets with client reregistration
};

/// Support of virtualization by a CA, selected by VirtualCas.
enum class VirtualSupport : std::uint8_t {
  kAll,
  kNone,    // not announced
  kPart,    // VNodeDescription and VPortGUIDInfo are refused
  kSilent,  // announced, but no responses
};

struct VirtualPorts {
  VirtualizationInfo info;
  VirtualSupport support = VirtualSupport::kAll;
  std::vector<Vport> vports;  // by index; 0 is the physical function

  bool is_up(std::uint16_t index) const {
    return index > 0 && index < vports.size() && is_vport_up(vports[index].info.state);
  }
  VirtualIdentity identity(std::uint16_t index) const;
  /// Assigns the lowest free index to the identity, with tables as after power-up, and returns the
  /// index. Returns nothing if no index is free.
  std::optional<std::uint16_t> add(const VirtualIdentity& identity, const EmulatorOptions& options);
  bool remove(std::uint16_t index);
  /// To be called when the link comes up: vports in use are then in INIT.
  void reset_states();

 private:
  void set_top();
};

/// The identity of vport `index` (from 1) of a CA port after power-up.
VirtualIdentity vport_identity(const Fabric& fabric, PortId port, std::uint16_t index);

/// The vports of a CA port after power-up; null without virtualization.
std::unique_ptr<VirtualPorts> power_up_vports(const Fabric& fabric, PortId port,
                                              const EmulatorOptions& options);

}  // namespace weft::emulator
