// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/recovery_attributes.h"

#include <algorithm>
#include <array>
#include <optional>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/port_recovery.h"
#include "ib/vendor/port_recovery_unconfirmed.h"

namespace weft::emulator {
namespace {

struct RecoveryAddress {
  AttributeId attribute;
  std::uint32_t modifier;
  bool operator==(const RecoveryAddress&) const = default;
};

using RecoveryAddresses = std::array<RecoveryAddress, kRecoverySettings>;
constexpr RecoveryAddresses recovery_addresses() {
  RecoveryAddresses addresses{};
  std::size_t at = 0;
  for (std::uint8_t profile = 0; profile < kRecoveryProfiles; ++profile) {
    const std::uint32_t of_profile = recovery_unconfirmed::profile_modifier(profile);
    addresses[at++] = {kCreditWatchdogConfig, of_profile};
    for (const BerType type : {BerType::kRaw, BerType::kEffective, BerType::kSymbol})
      addresses[at++] = {kBerConfig, ber_modifier(profile, type)};
    addresses[at++] = {kPortRecoveryPolicyConfig, of_profile};
    if (profile > 0) continue;
    for (const auto feature : {ProfileFeature::kFastRecovery, ProfileFeature::kPortRecovery})
      for (const std::uint8_t block : {std::uint8_t{0}, std::uint8_t{1}})
        addresses[at++] = {kProfilesConfig, profiles_modifier(feature, block)};
  }
  return addresses;
}
constexpr RecoveryAddresses kRecoveryAddresses = recovery_addresses();

std::optional<std::size_t> setting_of(const RecoveryAddress& address) {
  const auto found = std::ranges::find(kRecoveryAddresses, address);
  if (found == kRecoveryAddresses.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kRecoveryAddresses.begin());
}

bool is_policy(std::size_t setting) {
  const auto& [attribute, modifier] = kRecoveryAddresses[setting];
  return attribute == kPortRecoveryPolicyConfig ||
         (attribute == kProfilesConfig &&
          modifier >= profiles_modifier(ProfileFeature::kPortRecovery, 0));
}

/// Checks sampling times and the order of thresholds.
bool is_valid(const FastRecoveryConfig& config) {
  return config.sampling <= FastRecoveryConfig::kSamplingMax &&
         is_above(config.error, config.warning) && is_above(config.warning, config.normal);
}

MadStatus set_policy(const SmpData& wanted, SmpData& held) {
  PortRecoveryPolicy policy = decode_port_recovery_policy(wanted);
  policy.supported = decode_port_recovery_policy(held).supported;
  if ((policy.enabled & ~policy.supported) != 0 ||
      policy.draining_time > PortRecoveryPolicy::kDrainingMax ||
      policy.link_down_time > PortRecoveryPolicy::kLinkDownMax)
    return mad_status::kInvalidField;
  held = wanted;
  write_port_recovery_policy(policy, held);
  return mad_status::kGood;
}

MadStatus set_ber(const SmpData& wanted, SmpData& held) {
  FastRecoveryConfig config = decode_ber(wanted);
  if (!is_valid(config)) return mad_status::kInvalidField;
  config.window = decode_ber(held).window;
  held = wanted;
  write_ber(config, held);
  return mad_status::kGood;
}

constexpr FastRecoveryConfig kBerOfPowerUp{
    .error = {5, 6}, .warning = {1, 8}, .normal = {1, 10}, .window = 0, .sampling = 10};

SmpData setting_of_power_up(AttributeId attribute) {
  SmpData data{};
  if (attribute == kBerConfig) {
    write_ber(kBerOfPowerUp, data);
  } else if (attribute == kCreditWatchdogConfig) {
    write_credit_watchdog(
        {.error = {20, 0}, .warning = {10, 0}, .normal = {5, 0}, .window = 10, .sampling = 10},
        data);
    data[0] = std::byte{0x5A};  // a field without meaning for the manager
  } else if (attribute == kPortRecoveryPolicyConfig) {
    write_port_recovery_policy(
        {.supported = PortRecoveryPolicy::kHostRelock | PortRecoveryPolicy::kTransmitterOff,
         .enabled = 0,
         .draining_time = 10,
         .link_down_time = 200},
        data);
  } else {
    PortProfiles none;
    none.of.fill(PortProfiles::kInvalid);
    data = encode(none);
  }
  return data;
}

std::vector<SmpData> recovery_of_power_up() {
  std::vector<SmpData> settings;
  for (const RecoveryAddress& address : kRecoveryAddresses)
    settings.push_back(setting_of_power_up(address.attribute));
  return settings;
}

/// Whether a request is for default thresholds, which can be read only.
bool is_for_defaults(const Smp& smp) {
  return smp.attribute == kBerConfig && (smp.modifier & ber_modifier(0, BerType::kRaw, true)) != 0;
}

}  // namespace

FeatureSupport recovery_support(const Model& model, Place at) {
  const bool may_support_it = model.node(at.node).is_switch &&
                              ar_unconfirmed::may_support_general_info(model.device_id(at.node)) &&
                              model.has(at.node, DeviceFeature::kRecovery);
  return may_support_it ? feature_support(Feature::kRecovery, model.options().recovery, at.node)
                        : FeatureSupport::kRefused;
}

void announce_recovery(const Model& model, Place at, DeviceCapabilities& capabilities) {
  const FeatureSupport support = recovery_support(model, at);
  if (support == FeatureSupport::kRefused) return;
  capabilities.set(DeviceCapabilities::kPortRecoveryPolicy);
  capabilities.set(DeviceCapabilities::kExtendedPortInfo);
  if (support == FeatureSupport::kPart) return;
  for (const unsigned bit : {DeviceCapabilities::kFastRecovery, DeviceCapabilities::kCreditWatchdog,
                             DeviceCapabilities::kBer})
    capabilities.set(bit);
}

bool is_of_recovery(AttributeId attribute) {
  return std::ranges::find(kRecoveryAttributes, attribute) != kRecoveryAttributes.end();
}

bool ignores_recovery(const Model& model, const Smp& smp, Place at) {
  if (!is_of_recovery(smp.attribute)) return false;
  const FeatureSupport support = recovery_support(model, at);
  return support == FeatureSupport::kSilent || support == FeatureSupport::kWithoutSettings;
}

MadStatus serve_recovery(Model& model, Smp& smp, Place at) {
  const FeatureSupport support = recovery_support(model, at);
  const bool for_defaults = is_for_defaults(smp);
  const auto setting =
      setting_of({smp.attribute, for_defaults ? smp.modifier & ~ber_modifier(0, BerType::kRaw, true)
                                              : smp.modifier});
  if (support == FeatureSupport::kRefused) return mad_status::kMethodAttributeUnsupported;
  if (!setting) return mad_status::kInvalidField;
  if (support == FeatureSupport::kPart && !is_policy(*setting))
    return mad_status::kMethodAttributeUnsupported;
  if (for_defaults) {
    if (smp.method == Method::kSet) return mad_status::kInvalidField;
    smp.data = setting_of_power_up(kBerConfig);
    return mad_status::kGood;
  }
  std::vector<SmpData>& settings = model.node(at.node).recovery;
  if (settings.empty()) settings = recovery_of_power_up();
  SmpData& held = settings[*setting];
  if (smp.method == Method::kSet) {
    MadStatus status = mad_status::kGood;
    if (smp.attribute == kPortRecoveryPolicyConfig)
      status = set_policy(smp.data, held);
    else if (smp.attribute == kBerConfig)
      status = set_ber(smp.data, held);
    else if (smp.attribute == kCreditWatchdogConfig && !is_valid(decode_credit_watchdog(smp.data)))
      status = mad_status::kInvalidField;
    else
      held = smp.data;
    if (status != mad_status::kGood) return status;
  }
  smp.data = held;
  return mad_status::kGood;
}

}  // namespace weft::emulator
