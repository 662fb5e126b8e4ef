// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/recovery.h"

#include <array>

#include "ib/vendor/port_recovery.h"
#include "ib/vendor/port_recovery_unconfirmed.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, kRecoveryTriggers> kTriggerNames{
    "CreditWatchdogConfig", "BERConfig (raw)", "BERConfig (effective)", "BERConfig (symbol)"};

constexpr bool is_credit(std::uint8_t trigger) { return trigger == 0; }

constexpr BerType ber_type(std::uint8_t trigger) { return static_cast<BerType>(trigger - 1); }

/// The rules with disabled features. A disabled feature has profile 0 on all ports, so that no port
/// has a profile in which the feature is enabled.
RecoveryRules rules_of(const SmOptions& options) {
  RecoveryRules rules = options.fast_recovery_rules;
  if (options.fast_recovery == RecoverySetting::kDisable) {
    rules.triggers = {};
    rules.triggers[recovery_unconfirmed::kProfile].emplace();
    rules.trigger_ports = {{recovery_unconfirmed::kProfile, ""}};
  }
  if (options.port_recovery == RecoverySetting::kDisable) {
    rules.policies = {};
    rules.policies[recovery_unconfirmed::kProfile] = PortRecoveryRule{.methods = 0};
    rules.policy_ports = {{recovery_unconfirmed::kProfile, ""}};
  }
  return rules;
}

}  // namespace

/// A profile is written before ports are assigned to it.
RecoverySettings::RecoverySettings(const Observed& observed, const SmOptions& options)
    : observed_(observed), options_(options), rules_(rules_of(options)) {
  trigger_ports_ = assignment(rules_.trigger_ports);
  policy_ports_ = assignment(rules_.policy_ports);
  for (std::uint8_t profile = 0; profile < kRecoveryProfiles; ++profile)
    if (rules_.triggers[profile]) add_triggers(profile, *rules_.triggers[profile]);
  add_profiles(true);
  for (std::uint8_t profile = 0; profile < kRecoveryProfiles; ++profile)
    if (rules_.policies[profile])
      entries_.push_back({kPortRecoveryPolicyConfig,
                          recovery_unconfirmed::profile_modifier(profile), Part::kPolicy, false,
                          DeviceCapabilities::kPortRecoveryPolicy, 0, profile});
  add_profiles(false);
}

void RecoverySettings::add_triggers(std::uint8_t profile, const FastRecoveryRules& rules) {
  entries_.push_back({kCreditWatchdogConfig, recovery_unconfirmed::profile_modifier(profile),
                      Part::kTrigger, true, DeviceCapabilities::kCreditWatchdog, 0, profile});
  for (std::uint8_t trigger = 1; trigger < kRecoveryTriggers; ++trigger) {
    const BerType type = ber_type(trigger);
    if (rules[trigger] && rules[trigger]->default_values)
      entries_.push_back({kBerConfig, ber_modifier(profile, type, true), Part::kDefaults, true,
                          DeviceCapabilities::kBer, trigger, profile});
    entries_.push_back({kBerConfig, ber_modifier(profile, type), Part::kTrigger, true,
                        DeviceCapabilities::kBer, trigger, profile});
  }
}

void RecoverySettings::add_profiles(bool is_fast) {
  const auto feature = is_fast ? ProfileFeature::kFastRecovery : ProfileFeature::kPortRecovery;
  for (std::uint8_t block = 0; block < 2; ++block)
    entries_.push_back(
        {kProfilesConfig, profiles_modifier(feature, block), Part::kProfiles, is_fast,
         is_fast ? DeviceCapabilities::kFastRecovery : DeviceCapabilities::kPortRecoveryPolicy,
         block, 0});
}

RecoverySettings::Assignment RecoverySettings::assignment(
    const std::vector<ProfileOfPorts>& ports) const {
  if (ports.size() == 1 && ports.front().group.empty()) return {ports.front().profile, {}};
  return {{}, profiles_of_ports(ports, options_.routing.port_groups, observed_.fabric)};
}

VendorSettings::Address RecoverySettings::address(std::uint8_t setting) const {
  return {entries_[setting].attribute, entries_[setting].modifier};
}

bool RecoverySettings::concerns(std::uint32_t) const {
  return options_.fast_recovery != RecoverySetting::kIgnore ||
         options_.port_recovery != RecoverySetting::kIgnore;
}

bool RecoverySettings::applies(std::uint8_t setting, std::uint32_t sw,
                               const DeviceCapabilities& announced) const {
  const Entry& entry = entries_[setting];
  const RecoverySetting configured =
      entry.is_fast ? options_.fast_recovery : options_.port_recovery;
  return configured != RecoverySetting::kIgnore && announced.has(entry.announced_by) &&
         (!entry.is_fast || announced.has(DeviceCapabilities::kFastRecovery)) &&
         (entry.part != Part::kProfiles || port_count(sw) >= PortProfiles::kPorts * entry.which);
}

void RecoverySettings::note_read(std::uint8_t setting, std::uint32_t sw, const SmpData& data) {
  const Entry& entry = entries_[setting];
  if (entry.part == Part::kDefaults) defaults_[{sw, entry.profile, entry.which}] = decode_ber(data);
}

SmpData RecoverySettings::wanted(std::uint8_t setting, std::uint32_t sw,
                                 const SmpData& read) const {
  const Entry& entry = entries_[setting];
  switch (entry.part) {
    case Part::kTrigger:
      return with_trigger(entry, sw, read);
    case Part::kDefaults:
      return read;  // never written
    case Part::kPolicy:
      return with_policy(entry, read);
    case Part::kProfiles:
      return with_profiles(entry, sw, read);
  }
  return read;
}

SmpData RecoverySettings::with_trigger(const Entry& entry, std::uint32_t sw, SmpData data) const {
  FastRecoveryConfig config =
      is_credit(entry.which) ? decode_credit_watchdog(data) : decode_ber(data);
  const auto defaults = defaults_.find({sw, entry.profile, entry.which});
  apply((*rules_.triggers[entry.profile])[entry.which],
        defaults == defaults_.end() ? config : defaults->second, config);
  if (is_credit(entry.which))
    write_credit_watchdog(config, data);
  else
    write_ber(config, data);
  return data;
}

SmpData RecoverySettings::with_policy(const Entry& entry, SmpData data) const {
  PortRecoveryPolicy policy = decode_port_recovery_policy(data);
  apply(*rules_.policies[entry.profile], policy);
  write_port_recovery_policy(policy, data);
  return data;
}

/// Assigns the ports of the switch in this block to their profiles. Ports without a configured
/// profile keep the profile that was read.
SmpData RecoverySettings::with_profiles(const Entry& entry, std::uint32_t sw,
                                        const SmpData& data) const {
  const Assignment& assigned = entry.is_fast ? trigger_ports_ : policy_ports_;
  PortProfiles profiles = decode_port_profiles(data);
  for (unsigned i = 0; i < PortProfiles::kPorts; ++i) {
    const unsigned port = entry.which * PortProfiles::kPorts + i;
    if (port < 1 || port > port_count(sw)) continue;
    std::optional<std::uint8_t> profile = assigned.of_all;
    if (!profile)
      profile = assigned.by_port[observed_.fabric
                                     .port_id(NodeId(sw), PortNum(static_cast<std::uint8_t>(port)))
                                     .value()];
    profiles.of[i] = profile.value_or(profiles.of[i]);
  }
  return encode(profiles);
}

std::string RecoverySettings::shortcoming(std::uint8_t setting, std::uint32_t) const {
  const Entry& entry = entries_[setting];
  std::string name(kTriggerNames[entry.which]);
  if (entry.part == Part::kDefaults) name += " with default thresholds";
  if (entry.part == Part::kPolicy) name = "PortRecoveryPolicyConfig";
  if (entry.part == Part::kProfiles)
    name = entry.is_fast ? "ProfilesConfig of fast recovery" : "ProfilesConfig of port recovery";
  if (entry.profile > 0) name += fmt::format(" of profile {}", entry.profile);
  return fmt::format("{}, which the switch announces, is not set", name);
}

}  // namespace weft
