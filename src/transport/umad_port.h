// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand ports of this machine that libibumad lists (with ibsim's library preloaded: the
// simulated ports), and the ports by which a subnet manager sends.
//
// The driver of a multi-plane CA has two devices: one only for SMPs, with a port for each plane
// (such as smi1), and one only for GMPs, with a port that aggregates the planes and has the
// capability IsSMDisabled. libibumad assigns a port of the second device to the ports of the first
// device with the same port GUID.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ib/enums.h"
#include "ib/ids.h"

namespace weft {

struct UmadPort {
  std::string device;
  int number = 0;  // 0 on a switch
  Guid guid;
  PortState state{};
  Lid lid{};
  Guid node_guid{};
  std::uint32_t capability_mask = 0;  // of PortInfo
  bool operator==(const UmadPort&) const = default;
};

/// The ports of one CA by which a subnet manager sends, or the only port. `smps` and `gmps` are
/// equal unless the CA has a device for SMPs only.
struct UmadPorts {
  std::vector<UmadPort> smps;  // the port with the GUID of the manager first; numbers differ
  std::vector<UmadPort> gmps;
};

/// Which ports of its CA a manager uses.
enum class UmadPortUse : std::uint8_t {
  kAuto,  // all, if the CA states that its ports are in planes: HierarchyInfo, or a device for SMPs
  kAll,
  kOne
};

/// All InfiniBand ports, in the library's order. Fails with kEnvironment if umad is unavailable or
/// there is no InfiniBand port; the message lists ports of other link layers.
Result<std::vector<UmadPort>> list_umad_ports();

/// The ports for the subnet manager, from `ports`, which must not be empty. The first port is the
/// port with this GUID, by default the first port with its link up, otherwise the first port; ports
/// without SMPs are used only if there are no others. The other ports have the same node GUID.
/// Fails with kEnvironment, listing the available ports, if there is no such port.
Result<UmadPorts> select_umad_ports(std::span<const UmadPort> ports, std::optional<Guid> guid,
                                    UmadPortUse use);
/// select_umad_ports() from the ports of this machine.
Result<UmadPorts> choose_umad_ports(std::optional<Guid> guid, UmadPortUse use);

/// The index of the port with this number in a list of ports; 0 if there is none, or for number 0.
std::size_t index_of_port(std::span<const std::uint8_t> numbers, std::uint8_t number);

/// Whether the link of a port is up (INIT or higher), from sysfs; false if the port is absent.
bool umad_link_is_up(const UmadPort& port);

}  // namespace weft
