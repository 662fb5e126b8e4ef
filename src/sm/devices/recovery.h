// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of fast recovery and port recovery policies of switches, as configured by
// fast_recovery_enabled, fast_recovery_conf_file and port_recovery_policy_enabled.
#pragma once

#include <cstdint>
#include <string>

#include "sm/devices/setting_programming.h"
#include "sm/observed.h"
#include "sm/options.h"

namespace weft {

class RecoverySettings final : public VendorSettings {
 public:
  /// `observed` and `options` must outlive this object.
  RecoverySettings(const Observed& observed, const SmOptions& options)
      : observed_(observed), options_(options) {}

  std::uint8_t count() const override;
  Address address(std::uint8_t setting) const override;
  bool concerns(std::uint32_t sw) const override;
  bool applies(std::uint8_t setting, std::uint32_t sw,
               const DeviceCapabilities& announced) const override;
  SmpData wanted(std::uint8_t setting, std::uint32_t sw, const SmpData& read) const override;
  std::string shortcoming(std::uint8_t setting, std::uint32_t sw) const override;

 private:
  unsigned port_count(std::uint32_t sw) const { return observed_.nodes[sw].info.port_count; }

  const Observed& observed_;
  const SmOptions& options_;
};

}  // namespace weft
