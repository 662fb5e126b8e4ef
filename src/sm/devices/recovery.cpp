// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/recovery.h"

#include <array>

#include "ib/vendor/port_recovery.h"
#include "ib/vendor/port_recovery_unconfirmed.h"

namespace weft {
namespace {

using recovery_unconfirmed::kProfile;

enum class RecoveryPart : std::uint8_t { kTrigger, kPolicy, kProfiles };

/// A setting of fast recovery or of port recovery policies. The table has the order of the
/// requests: a profile is written before ports are assigned to it.
struct RecoveryEntry {
  std::string_view name;
  AttributeId attribute;
  std::uint32_t modifier;
  RecoveryPart part;
  bool is_fast;  // true: fast recovery; false: port recovery policies
  unsigned announced_by;
  unsigned which = 0;  // RecoveryTrigger, or the block of kProfiles
};

constexpr std::uint32_t ber(BerType type) { return ber_modifier(kProfile, type); }

constexpr std::array<RecoveryEntry, 9> kRecoveryTable{{
    {"CreditWatchdogConfig", kCreditWatchdogConfig,
     recovery_unconfirmed::profile_modifier(kProfile), RecoveryPart::kTrigger, true,
     DeviceCapabilities::kCreditWatchdog, 0},
    {"BERConfig (raw)", kBerConfig, ber(BerType::kRaw), RecoveryPart::kTrigger, true,
     DeviceCapabilities::kBer, 1},
    {"BERConfig (effective)", kBerConfig, ber(BerType::kEffective), RecoveryPart::kTrigger, true,
     DeviceCapabilities::kBer, 2},
    {"BERConfig (symbol)", kBerConfig, ber(BerType::kSymbol), RecoveryPart::kTrigger, true,
     DeviceCapabilities::kBer, 3},
    {"ProfilesConfig of fast recovery", kProfilesConfig,
     profiles_modifier(ProfileFeature::kFastRecovery, 0), RecoveryPart::kProfiles, true,
     DeviceCapabilities::kFastRecovery, 0},
    {"ProfilesConfig of fast recovery", kProfilesConfig,
     profiles_modifier(ProfileFeature::kFastRecovery, 1), RecoveryPart::kProfiles, true,
     DeviceCapabilities::kFastRecovery, 1},
    {"PortRecoveryPolicyConfig", kPortRecoveryPolicyConfig,
     recovery_unconfirmed::profile_modifier(kProfile), RecoveryPart::kPolicy, false,
     DeviceCapabilities::kPortRecoveryPolicy},
    {"ProfilesConfig of port recovery", kProfilesConfig,
     profiles_modifier(ProfileFeature::kPortRecovery, 0), RecoveryPart::kProfiles, false,
     DeviceCapabilities::kPortRecoveryPolicy, 0},
    {"ProfilesConfig of port recovery", kProfilesConfig,
     profiles_modifier(ProfileFeature::kPortRecovery, 1), RecoveryPart::kProfiles, false,
     DeviceCapabilities::kPortRecoveryPolicy, 1},
}};

SmpData with_trigger(const SmOptions& options, unsigned trigger, SmpData data) {
  const auto rule = options.fast_recovery == RecoverySetting::kEnable
                        ? options.fast_recovery_rules[trigger]
                        : std::nullopt;
  const bool is_credit = trigger == 0;
  FastRecoveryConfig config = is_credit ? decode_credit_watchdog(data) : decode_ber(data);
  apply(rule, config);
  if (is_credit)
    write_credit_watchdog(config, data);
  else
    write_ber(config, data);
  return data;
}

/// Enables all methods that the switch supports, or disables them. The times are unchanged.
SmpData with_policy(const SmOptions& options, SmpData data) {
  PortRecoveryPolicy policy = decode_port_recovery_policy(data);
  policy.enabled =
      options.port_recovery == RecoverySetting::kEnable ? policy.supported : std::uint16_t{0};
  write_port_recovery_policy(policy, data);
  return data;
}

/// Assigns all ports of the switch in this block to the configured profile.
SmpData with_profiles(unsigned block, unsigned port_count, const SmpData& data) {
  PortProfiles profiles = decode_port_profiles(data);
  for (unsigned i = 0; i < PortProfiles::kPorts; ++i) {
    const unsigned port = block * PortProfiles::kPorts + i;
    if (port >= 1 && port <= port_count) profiles.of[i] = kProfile;
  }
  return encode(profiles);
}

}  // namespace

std::uint8_t RecoverySettings::count() const {
  return static_cast<std::uint8_t>(kRecoveryTable.size());
}

VendorSettings::Address RecoverySettings::address(std::uint8_t setting) const {
  return {kRecoveryTable[setting].attribute, kRecoveryTable[setting].modifier};
}

bool RecoverySettings::concerns(std::uint32_t) const {
  return options_.fast_recovery != RecoverySetting::kIgnore ||
         options_.port_recovery != RecoverySetting::kIgnore;
}

bool RecoverySettings::applies(std::uint8_t setting, std::uint32_t sw,
                               const DeviceCapabilities& announced) const {
  const RecoveryEntry& entry = kRecoveryTable[setting];
  const RecoverySetting configured =
      entry.is_fast ? options_.fast_recovery : options_.port_recovery;
  return configured != RecoverySetting::kIgnore && announced.has(entry.announced_by) &&
         (!entry.is_fast || announced.has(DeviceCapabilities::kFastRecovery)) &&
         (entry.part != RecoveryPart::kProfiles ||
          port_count(sw) >= PortProfiles::kPorts * entry.which);
}

SmpData RecoverySettings::wanted(std::uint8_t setting, std::uint32_t sw,
                                 const SmpData& read) const {
  const RecoveryEntry& entry = kRecoveryTable[setting];
  if (entry.part == RecoveryPart::kTrigger) return with_trigger(options_, entry.which, read);
  if (entry.part == RecoveryPart::kPolicy) return with_policy(options_, read);
  return with_profiles(entry.which, port_count(sw), read);
}

std::string RecoverySettings::shortcoming(std::uint8_t setting, std::uint32_t) const {
  return fmt::format("{}, which the switch announces, is not set", kRecoveryTable[setting].name);
}

}  // namespace weft
