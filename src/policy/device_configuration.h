// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// device_configuration_file: settings of devices by port group (pgrp_policy_file).
//   device-configuration
//     group: leaves
//     adaptive-routing: on
//     hash-based-forwarding: off
//     sharp: off
//   end-device-configuration
// A device belongs to a group if one of its ports belongs to the group. If several paragraphs apply
// to a device, the last one that contains a setting determines it. The headers of NVIDIA's OpenSM
// have the option, but not the format of its file: this format is Weft's own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "policy/ar_conf.h"
#include "policy/port_groups.h"

namespace weft {

/// A setting without a value has no effect on the device.
struct DeviceSettings {
  std::optional<bool> adaptive_routing{};
  std::optional<bool> hash_forwarding{};
  std::optional<bool> sharp{};
  bool operator==(const DeviceSettings&) const = default;
};

struct FiledDeviceSettings {
  std::string group;
  DeviceSettings settings;
  std::string place;  // "file:line"
  bool operator==(const FiledDeviceSettings&) const = default;
};
using DeviceConfiguration = std::vector<FiledDeviceSettings>;

/// Reads the configuration. Fails with kEnvironment if the file cannot be read; with kBadInput,
/// with all errors in the message: an unknown qualifier, a missing or undefined group, a value
/// other than on and off, a paragraph without a setting.
Result<DeviceConfiguration> read_device_configuration(const std::string& path,
                                                      const PortGroups& groups);

/// Settings by NodeId; empty if `configuration` is empty.
std::vector<DeviceSettings> settings_of_devices(const DeviceConfiguration& configuration,
                                                const PortGroups& groups, const Fabric& fabric);

/// Applies the settings of adaptive routing and hash-based forwarding to the switches in `conf`, in
/// place of the settings that `conf` has for single switches.
void take_device_settings(const std::vector<DeviceSettings>& settings, const Fabric& fabric,
                          ArConf& conf);

}  // namespace weft
