// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Recovery of links by switches, without the manager. Fast recovery: thresholds of the credit
// watchdog and of bit error rates, and the action on a port that exceeds them. Port recovery
// policy: the methods by which a switch brings a port up again. Settings belong to profiles, and
// each port has a profile for each feature. GeneralInfo announces each attribute. Layouts: headers
// of NVIDIA's OpenSM; port_recovery_unconfirmed.h has the assumptions where the headers state
// nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kCreditWatchdogConfig{0xFF71};
inline constexpr AttributeId kBerConfig{0xFF72};
inline constexpr AttributeId kProfilesConfig{0xFF73};
inline constexpr AttributeId kPortRecoveryPolicyConfig{0xFFDA};

inline constexpr std::array<AttributeId, 4> kRecoveryAttributes{
    kCreditWatchdogConfig, kBerConfig, kProfilesConfig, kPortRecoveryPolicyConfig};

/// Action of a switch on a port that exceeds a threshold.
enum class RecoveryAction : std::uint8_t {
  kNone,
  kPhysical,  // takes the link down and up
  kLogical,   // takes the link to INIT
  kRecovery   // applies the methods of the port recovery policy
};

/// Thresholds that are enabled.
enum class ActiveThresholds : std::uint8_t { kNone, kError, kWarningAndNormal, kAll };

/// A bit error rate of mantissa * 10^-exponent; for the credit watchdog, the mantissa is a number
/// of events.
struct RecoveryThreshold {
  std::uint8_t mantissa = 0;
  std::uint8_t exponent = 0;
  bool operator==(const RecoveryThreshold&) const = default;
};

/// Whether threshold a is greater than threshold b.
bool is_above(const RecoveryThreshold& a, const RecoveryThreshold& b);

/// The settings of CreditWatchdogConfig or BERConfig.
struct FastRecoveryConfig {
  bool trap_error = false, trap_warning = false, trap_normal = false;
  RecoveryAction action = RecoveryAction::kNone;
  ActiveThresholds active_thresholds = ActiveThresholds::kNone;
  RecoveryThreshold error, warning, normal;
  std::uint32_t window = 0;   // number of samples; read only in BERConfig
  std::uint8_t sampling = 0;  // in units of 10 ms, at most kSamplingMax
  bool operator==(const FastRecoveryConfig&) const = default;

  static constexpr std::uint8_t kSamplingMax = 100;  // 1 s
  static constexpr std::uint8_t kCreditMax = 31;     // largest threshold of the credit watchdog
  static constexpr std::uint8_t kMantissaMax = 9, kExponentMax = 17;
};

FastRecoveryConfig decode_credit_watchdog(std::span<const std::byte, kSmpDataSize> data);
FastRecoveryConfig decode_ber(std::span<const std::byte, kSmpDataSize> data);
/// The write functions change no other fields of `data`.
void write_credit_watchdog(const FastRecoveryConfig& config, SmpData& data);
void write_ber(const FastRecoveryConfig& config, SmpData& data);

/// Number of profiles of a feature.
inline constexpr std::size_t kRecoveryProfiles = 8;

enum class BerType : std::uint8_t { kRaw, kEffective, kSymbol };
/// Attribute modifier of BERConfig. `defaults`: for the default thresholds.
constexpr std::uint32_t ber_modifier(std::uint8_t profile, BerType type, bool defaults = false) {
  return std::uint32_t{profile} | static_cast<std::uint32_t>(type) << 8 |
         std::uint32_t{defaults} << 31;
}

struct PortRecoveryPolicy {
  /// Bits of `supported` and `enabled`, one for each method.
  static constexpr std::uint16_t kHostRelock = 1, kSerdesEqualization = 2, kTransmitterOff = 4,
                                 kDataPathToggle = 8;
  static constexpr std::uint8_t kDrainingMax = 100;
  static constexpr std::uint16_t kLinkDownMax = 3000;
  std::uint16_t supported = 0;  // read only
  std::uint16_t enabled = 0;
  std::uint8_t draining_time = 0;    // in units of 10 ms, at most kDrainingMax
  std::uint16_t link_down_time = 0;  // in units of 10 ms, at most kLinkDownMax
  bool operator==(const PortRecoveryPolicy&) const = default;
};
PortRecoveryPolicy decode_port_recovery_policy(std::span<const std::byte, kSmpDataSize> data);
/// Writes the policy; changes no other fields of `data`.
void write_port_recovery_policy(const PortRecoveryPolicy& policy, SmpData& data);

/// The features of ProfilesConfig that Weft uses.
enum class ProfileFeature : std::uint8_t { kFastRecovery = 0, kPortRecovery = 4 };

/// A block of ProfilesConfig: the profiles of 128 ports.
struct PortProfiles {
  static constexpr unsigned kPorts = 128;
  static constexpr std::uint8_t kInvalid = 15;
  std::array<std::uint8_t, kPorts> of{};
  bool operator==(const PortProfiles&) const = default;
};
PortProfiles decode_port_profiles(std::span<const std::byte, kSmpDataSize> data);
SmpData encode(const PortProfiles& profiles);
constexpr std::uint32_t profiles_modifier(ProfileFeature feature, std::uint8_t block) {
  return static_cast<std::uint32_t>(feature) << 8 | block;
}

}  // namespace weft
