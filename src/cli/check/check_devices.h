// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The devices of a fabric by their ids, and settings or links that do not match the devices.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/check/findings.h"
#include "fabric/fabric.h"

namespace weft::cli {

inline constexpr std::string_view kUnknownSupport = "unknown";

/// The nodes of one device.
struct DeviceCount {
  std::string product;  // of an unknown device: such as "CA of device id 0x1234"
  std::size_t nodes = 0;
  std::string supports;  // features besides the speed; kUnknownSupport for an unknown device
  bool operator==(const DeviceCount&) const = default;
};

/// The devices of the nodes with a device id: known devices in the order of the profiles, then
/// unknown devices by type and id.
std::vector<DeviceCount> count_devices(const Fabric& fabric);

/// Adds notes about unknown devices, links slower than the devices at both ends, aggregation nodes
/// and, if adaptive routing is configured (`adaptive`), switches without full support of it.
void check_devices(const Fabric& fabric, bool adaptive, Findings& findings);

}  // namespace weft::cli
