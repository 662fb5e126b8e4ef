// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ExtendedSwitchInfo and ChassisInfo: settings of a switch and its serial number, which GeneralInfo
// announces. Layout: headers of NVIDIA's OpenSM; switch_settings_unconfirmed.h has the assumptions
// where the headers state nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kExtendedSwitchInfo{0xFF92};
inline constexpr AttributeId kChassisInfo{0xFF18};

struct ExtendedSwitchInfo {
  /// Values of turbo_path.
  static constexpr std::uint8_t kTurboOff = 0, kTurboDefault = 1, kTurboCustom = 7;
  std::uint8_t turbo_path = 0;  // 3 bits
  bool turbo_path_capable = false;
  bool upgrade_requested = false;  // in-service upgrade
  bool upgrade_approved = false;
  bool sets_window = false;  // which of the values below a Set can change
  bool sets_reset_trigger = false;
  bool sets_set_trigger = false;
  bool sets_request_delay = false;
  std::uint16_t request_delay = 0;  // 10 bits, as the next three
  std::uint16_t set_trigger = 0;
  std::uint16_t reset_trigger = 0;
  std::uint16_t window = 0;
  bool operator==(const ExtendedSwitchInfo&) const = default;
};
SmpData encode(const ExtendedSwitchInfo& info);
ExtendedSwitchInfo decode_extended_switch_info(std::span<const std::byte, kSmpDataSize> data);

struct ChassisInfo {
  std::array<std::byte, 16> serial_number{};  // text
  bool operator==(const ChassisInfo&) const = default;
};
SmpData encode(const ChassisInfo& info);
ChassisInfo decode_chassis_info(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
