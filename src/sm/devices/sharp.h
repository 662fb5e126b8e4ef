// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Enables or disables SHARP in switches, by a bit of ExtendedPortInfo, as configured by
// sharp_enabled and device_configuration_file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sm/devices/setting_programming.h"
#include "sm/observed.h"
#include "sm/options.h"

namespace weft {

struct SharpReport : SettingReport {
  std::uint64_t enabled = 0;  // number of switches that confirmed enabled SHARP in this sweep
};

class SharpSettings final : public VendorSettings {
 public:
  /// `report` must outlive this object.
  SharpSettings(const Observed& observed, const SmOptions& options,
                const AnnouncedCapabilities& announced, SharpReport& report);

  std::uint8_t count() const override { return 1; }
  Address address(std::uint8_t setting) const override;
  bool concerns(std::uint32_t sw) const override { return wanted_[sw] != SharpSetting::kIgnore; }
  bool applies(std::uint8_t setting, std::uint32_t sw,
               const DeviceCapabilities& announced) const override;
  SmpData wanted(std::uint8_t setting, std::uint32_t sw, const SmpData& read) const override;
  void confirmed(std::uint8_t setting, std::uint32_t sw) override;
  std::string shortcoming(std::uint8_t setting, std::uint32_t sw) const override;

 private:
  bool is_enabled(std::uint32_t sw) const { return wanted_[sw] == SharpSetting::kEnable; }

  SharpReport& report_;
  std::vector<SharpSetting> wanted_;  // by SwitchId
};

}  // namespace weft
