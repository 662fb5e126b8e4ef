// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about fast recovery and port recovery policies that no source confirms. A correction
// for a real device changes this file only.
#pragma once

#include <cstdint>

namespace weft::recovery_unconfirmed {

/// The profile of ports without a configured profile. The headers call profile 0 of the port
/// recovery policy the default.
inline constexpr std::uint8_t kProfile = 0;
/// Attribute modifiers of CreditWatchdogConfig and PortRecoveryPolicyConfig: the profile in the
/// lowest bits, as in the modifier of BERConfig.
constexpr std::uint32_t profile_modifier(std::uint8_t profile) { return profile; }

/// The value of the bit of is_port_recovered() in a Set of ExtendedPortInfo that clears the event. A
/// Set with the other value keeps the event.
inline constexpr bool kClearsPortRecovered = true;

// A switch that announces fast recovery (GeneralInfo bit 52) or port recovery policies (bit 76)
// supports ProfilesConfig for this feature. A Set with the thresholds that were read is accepted.
// A Get of BERConfig with the modifier's bit for default thresholds returns the default thresholds
// of the type; a Set with the bit is never sent.

}  // namespace weft::recovery_unconfirmed
