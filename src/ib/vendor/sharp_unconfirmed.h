// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about SHARP that no source confirms. A correction for a real device changes this file
// only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace weft::sharp_unconfirmed {

/// Attribute modifier of ExtendedPortInfo: the port with the setting of the switch.
inline constexpr std::uint32_t kPortOfSwitch = 0;

// Byte 3 of ExtendedPortInfo selects fields that a Set changes; the headers define only the bit of
// the administrative state. Assumed: a Set of SHARP needs no bit of this byte.

/// Devices that may have SHARP: Switch-IB 2, Quantum, Quantum-2, Quantum-3. GeneralInfo is not sent
/// to other devices, since some do not respond to unsupported attributes at all.
constexpr bool may_have_sharp(std::uint16_t device_id) {
  constexpr std::array<std::uint16_t, 5> kDevices{0xCF08, 0xCF09, 0xD2F0, 0xD2F2, 0xD2F4};
  return std::ranges::find(kDevices, device_id) != kDevices.end();
}

}  // namespace weft::sharp_unconfirmed
