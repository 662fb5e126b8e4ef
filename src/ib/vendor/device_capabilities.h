// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// GeneralInfo: the vendor-specific attributes that a device supports. Some devices do not respond
// to GeneralInfo. Layout: headers of NVIDIA's OpenSM.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kGeneralInfo{0xFF17};  // modifier: kCapabilityMaskOfDevice

/// Attribute modifier of GeneralInfo that requests the capability mask.
inline constexpr std::uint32_t kCapabilityMaskOfDevice = 4;

struct DeviceCapabilities {
  /// Bits of the mask. kAdaptiveRouting announces the version with the attributes of ib/adaptive.h.
  static constexpr unsigned kPrivateLft = 0, kPortSlToPrivateLft = 12;
  static constexpr unsigned kOlderAdaptiveRouting = 1, kAdaptiveRouting = 2;
  static constexpr unsigned kExtendedPortInfo = 9, kExtendedNodeInfo = 13, kSharp = 18,
                            kPlaneFilter = 64;
  static constexpr unsigned kFastRecovery = 52, kCreditWatchdog = 53, kBer = 61,
                            kPortRecoveryPolicy = 76;
  std::array<std::uint32_t, 4> words{};
  bool has(unsigned bit) const { return (words[bit / 32] >> bit % 32 & 1) != 0; }
  void set(unsigned bit) { words[bit / 32] |= std::uint32_t{1} << bit % 32; }
  bool operator==(const DeviceCapabilities&) const = default;
};
SmpData encode(const DeviceCapabilities& capabilities);
DeviceCapabilities decode_device_capabilities(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
