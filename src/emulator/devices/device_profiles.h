// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand devices that are known by their device id, and what each supports: one table for
// the emulator, for `weft check` and for docs/reference/devices.md. A device may support less than
// its row, depending on its firmware, so the manager relies on what a device announces and answers.
// Source: each row names it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

enum class DeviceKind : std::uint8_t { kSwitch, kCa, kAggregationNode };

enum class AdaptiveSupport : std::uint8_t {
  kNone,
  kOld,  // without ARLinearForwardingTableSX: the manager leaves it at its plain tables
  kFull
};

struct DeviceProfile {
  std::string_view name;  // of --emulate-devices
  std::string_view product;
  DeviceKind kind = DeviceKind::kCa;
  std::array<std::uint16_t, 4> ids{};  // device ids, the first is emulated; 0: none
  LinkSpeed speed = LinkSpeed::kSdr;   // fastest
  bool extended_ports = false;         // MLNX ExtendedPortInfo (FDR10) is read from it
  AdaptiveSupport adaptive = AdaptiveSupport::kNone;
  bool notifications = false;  // FRN
  bool virtual_ports = false;
  std::string_view source;

  bool has_id(std::uint16_t id) const;
  bool operator==(const DeviceProfile&) const = default;
};

/// All profiles: switches, CAs, then aggregation nodes, oldest first.
std::span<const DeviceProfile> device_profiles();

/// The profile of a node by its type and device id; null if it is unknown.
const DeviceProfile* profile_of(const Node& node);

/// "quantum-2,connectx-7": the profiles with these names. Fails with kUsage "found .., expected
/// ..".
using DeviceList = std::vector<const DeviceProfile*>;
Result<DeviceList> parse_device_list(std::string_view names);

/// The device that a node is emulated as: by its device id, or without one by `devices`: switches
/// and CAs in turn take those of their kind. Null if there is none.
const DeviceProfile* emulated_profile(const Fabric& fabric, NodeId node, const DeviceList& devices);

/// What the device supports besides its speed: "adaptive routing, notifications"; empty: nothing.
std::string supported_features(const DeviceProfile& profile);

}  // namespace weft
