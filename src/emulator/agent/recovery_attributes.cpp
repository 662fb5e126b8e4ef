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

constexpr std::size_t kPolicyAt = 4;

struct RecoveryAddress {
  AttributeId attribute;
  std::uint32_t modifier;
};
constexpr std::uint32_t kOfProfile =
    recovery_unconfirmed::profile_modifier(recovery_unconfirmed::kProfile);
constexpr std::array<RecoveryAddress, kRecoverySettings> kRecoveryAddresses{{
    {kCreditWatchdogConfig, kOfProfile},
    {kBerConfig, ber_modifier(recovery_unconfirmed::kProfile, BerType::kRaw)},
    {kBerConfig, ber_modifier(recovery_unconfirmed::kProfile, BerType::kEffective)},
    {kBerConfig, ber_modifier(recovery_unconfirmed::kProfile, BerType::kSymbol)},
    {kPortRecoveryPolicyConfig, kOfProfile},
    {kProfilesConfig, profiles_modifier(ProfileFeature::kFastRecovery, 0)},
    {kProfilesConfig, profiles_modifier(ProfileFeature::kFastRecovery, 1)},
    {kProfilesConfig, profiles_modifier(ProfileFeature::kPortRecovery, 0)},
    {kProfilesConfig, profiles_modifier(ProfileFeature::kPortRecovery, 1)},
}};

std::optional<std::size_t> setting_of(const Smp& smp) {
  for (std::size_t i = 0; i < kRecoveryAddresses.size(); ++i)
    if (kRecoveryAddresses[i].attribute == smp.attribute &&
        kRecoveryAddresses[i].modifier == smp.modifier)
      return i;
  return std::nullopt;
}

constexpr bool is_policy(std::size_t setting) { return setting == kPolicyAt || setting > 6; }

/// Checks sampling times and the order of thresholds.
bool is_valid(const FastRecoveryConfig& config) {
  return config.sampling <= FastRecoveryConfig::kSamplingMax &&
         is_above(config.error, config.warning) && is_above(config.warning, config.normal);
}

MadStatus set_policy(const SmpData& wanted, SmpData& held) {
  constexpr std::uint8_t kDrainingMax = 100;
  constexpr std::uint16_t kLinkDownMax = 3000;
  PortRecoveryPolicy policy = decode_port_recovery_policy(wanted);
  policy.supported = decode_port_recovery_policy(held).supported;
  if ((policy.enabled & ~policy.supported) != 0 || policy.draining_time > kDrainingMax ||
      policy.link_down_time > kLinkDownMax)
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

std::vector<SmpData> recovery_of_power_up() {
  std::vector<SmpData> settings(kRecoverySettings);
  FastRecoveryConfig config{
      .error = {20, 0}, .warning = {10, 0}, .normal = {5, 0}, .window = 10, .sampling = 10};
  write_credit_watchdog(config, settings[0]);
  settings[0][0] = std::byte{0x5A};  // a field without meaning for the manager
  for (const std::size_t type : {1, 2, 3}) {
    config = {.error = {5, 6}, .warning = {1, 8}, .normal = {1, 10}, .window = 0, .sampling = 10};
    write_ber(config, settings[type]);
  }
  write_port_recovery_policy(
      {.supported = PortRecoveryPolicy::kHostRelock | PortRecoveryPolicy::kTransmitterOff,
       .enabled = 0,
       .draining_time = 10,
       .link_down_time = 200},
      settings[kPolicyAt]);
  PortProfiles none;
  none.of.fill(PortProfiles::kInvalid);
  for (std::size_t i = kPolicyAt + 1; i < settings.size(); ++i) settings[i] = encode(none);
  return settings;
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
  const auto setting = setting_of(smp);
  if (support == FeatureSupport::kRefused) return mad_status::kMethodAttributeUnsupported;
  if (!setting) return mad_status::kInvalidField;
  if (support == FeatureSupport::kPart && !is_policy(*setting))
    return mad_status::kMethodAttributeUnsupported;
  std::vector<SmpData>& settings = model.node(at.node).recovery;
  if (settings.empty()) settings = recovery_of_power_up();
  SmpData& held = settings[*setting];
  if (smp.method == Method::kSet) {
    MadStatus status = mad_status::kGood;
    if (*setting == kPolicyAt)
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
