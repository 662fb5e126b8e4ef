// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State that a switch detects at its own ports, in ExtendedPortInfo: the reason for which a port is
// unhealthy, and the event that a port was recovered. Layout: headers of NVIDIA's OpenSM.
#pragma once

#include <cstdint>
#include <span>

#include "ib/smp.h"

namespace weft {

/// A switch without support reports kUnsupported. Other values are not defined.
enum class UnhealthyReason : std::uint8_t {
  kUnsupported = 0,
  kNone = 1,
  kCreditWatchdog = 2,
  kSymmetry = 3,  // symmetry enforcement
  kRawBer = 4,
  kEffectiveBer = 5,
  kSymbolBer = 6,
  kContainAndDrain = 8
};

/// Numbers of vendor-specific traps of switches about their ports (vendor_trap_number()).
inline constexpr std::uint16_t kFastRecoveryTrap = 1314;
inline constexpr std::uint16_t kPortsRecoveredTrap = 1320;
inline constexpr std::uint16_t kLinkFlapTrap = 1321;

/// The reason; may be a value that is not defined.
UnhealthyReason unhealthy_reason(std::span<const std::byte, kSmpDataSize> extended_port_info);
/// Writes the field of unhealthy_reason(); other bits of the ExtendedPortInfo are kept.
void set_unhealthy_reason(SmpData& extended_port_info, UnhealthyReason reason);

/// Whether the port was recovered since the event was last cleared.
bool is_port_recovered(std::span<const std::byte, kSmpDataSize> extended_port_info);
/// Writes the bit of is_port_recovered(); other bits of the ExtendedPortInfo are kept.
void set_port_recovered(SmpData& extended_port_info, bool recovered);

}  // namespace weft
