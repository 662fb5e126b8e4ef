// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The InfiniBand devices with a known device id, and the features that each supports: one table for
// the emulator, for `weft check` and for docs/reference/devices.md. A device may support less than
// its row, depending on its firmware, so the manager relies on the attributes that a device
// announces and answers.
// Source: named in each row.
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
  kOld,  // without ARLinearForwardingTableSX, so the manager uses the plain tables
  kFull
};

struct DeviceProfile {
  std::string_view name;  // name in --emulate-devices
  std::string_view product;
  DeviceKind kind = DeviceKind::kCa;
  std::array<std::uint16_t, 4> ids{};  // device ids; the first is emulated; 0: unused
  LinkSpeed speed = LinkSpeed::kSdr;   // fastest speed
  bool extended_ports = false;         // supports MLNX ExtendedPortInfo (FDR10)
  AdaptiveSupport adaptive = AdaptiveSupport::kNone;
  bool notifications = false;  // FRN
  bool virtual_ports = false;
  std::string_view source;

  bool has_id(std::uint16_t id) const;
  bool operator==(const DeviceProfile&) const = default;
};

/// All profiles: switches, CAs, then aggregation nodes; within a product line the oldest first.
std::span<const DeviceProfile> device_profiles();

/// The profile of a node by its type and device id; null if the device is unknown.
const DeviceProfile* profile_of(const Node& node);

/// The profiles with the names in a list such as "quantum-2,connectx-7". Fails with kUsage "found
/// .., expected ..".
using DeviceList = std::vector<const DeviceProfile*>;
Result<DeviceList> parse_device_list(std::string_view names);

/// The device as which a node is emulated: by its device id; without device id, the devices of the
/// node's type in `devices` are used in turn. Null if there is none.
const DeviceProfile* emulated_profile(const Fabric& fabric, NodeId node, const DeviceList& devices);

/// The features that the device supports besides its speed: "adaptive routing, routing
/// notifications"; empty if there are none.
std::string supported_features(const DeviceProfile& profile);

}  // namespace weft
