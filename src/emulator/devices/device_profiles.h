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

/// Features of current devices that options of the emulator select.
enum class DeviceFeature : std::uint8_t {
  kPortStates,   // SwitchPortStateTable
  kSharp,        // aggregation node and its setting
  kRecovery,     // fast recovery and port recovery policy
  kPlanes,       // ports in several planes
  kPrivateLfts,  // private linear forwarding tables
  kClassKeys,    // keys of congestion control and of the classes 0x0A and 0x0C
  kPpcc,         // programmable congestion control
  kDcqcn
};
inline constexpr std::size_t kDeviceFeatures = 8;

enum class DeviceSupport : std::uint8_t {
  kNone,
  kAssumed,  // assumed by generation, without a source
  kSourced   // the source is in device_feature_source()
};

/// By DeviceFeature.
using FeatureRow = std::array<DeviceSupport, kDeviceFeatures>;

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
  FeatureRow features{};
  std::string_view source;  // of the other values

  bool has_id(std::uint16_t id) const;
  DeviceSupport support(DeviceFeature feature) const {
    return features[static_cast<std::size_t>(feature)];
  }
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

/// "SHARP"
std::string_view device_feature_name(DeviceFeature feature);
/// The source of the cells of the feature that are kSourced; empty if there are none.
std::string_view device_feature_source(DeviceFeature feature);

/// Whether the device as which the node is emulated has the feature. A node without profile has all
/// features.
bool device_has(const Fabric& fabric, NodeId node, const DeviceList& devices,
                DeviceFeature feature);

/// The features that the device supports besides its speed and its DeviceFeatures: "adaptive
/// routing, routing notifications"; empty if there are none.
std::string supported_features(const DeviceProfile& profile);

}  // namespace weft
