// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/recovery.h"

#include <algorithm>
#include <array>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/port_recovery.h"
#include "ib/vendor/port_recovery_unconfirmed.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

using recovery_unconfirmed::kProfile;

enum class RecoveryPart : std::uint8_t { kTrigger, kPolicy, kProfiles };

/// In the order of the requests: ports get the profile once it has its settings.
struct RecoveryEntry {
  std::string_view name;
  AttributeId attribute;
  std::uint32_t modifier;
  RecoveryPart part;
  bool is_fast;  // of fast recovery, else of port recovery policies
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

constexpr unsigned kRecoveryKindAt = 40, kRecoverySettingAt = 32;

}  // namespace

RecoveryProgramming::RecoveryProgramming(const Observed& observed, const SmOptions& options,
                                         RecoveryMemory& memory, TimeNs now, RecoveryReport& report)
    : observed_(observed), options_(options), memory_(memory), now_(now), report_(report) {
  memory.kinds.forget_probes();  // of a sweep that was canceled
  std::erase_if(memory.devices,
                [&](const auto& known) { return !observed.fabric.find_node(known.first); });
  if (options.fast_recovery == RecoverySetting::kIgnore &&
      options.port_recovery == RecoverySetting::kIgnore)
    return;
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    if (!may_be_asked(s)) continue;
    if (!memory.devices.contains(node(s).node_guid)) {
      queries_.push_back({Kind::kCapabilities, 0, s});
    } else if (any_applies(s)) {
      ++report.capable;
      if (memory.pauses.is_due(node(s).node_guid, now)) read_from(0, s);
    }
  }
}

bool RecoveryProgramming::may_be_asked(std::uint32_t sw) const {
  const std::uint16_t device = node(sw).device_id;
  const auto& more = options_.additional_gi_supporting_devices;
  return (!options_.disable_default_gi_support &&
          ar_unconfirmed::may_support_general_info(device)) ||
         std::ranges::find(more, device) != more.end();
}

/// Whether a setting is configured, announced by the switch, and of ports that it has.
bool RecoveryProgramming::applies(std::uint8_t setting, std::uint32_t sw) const {
  const RecoveryEntry& entry = kRecoveryTable[setting];
  const RecoverySetting configured =
      entry.is_fast ? options_.fast_recovery : options_.port_recovery;
  const DeviceCapabilities& device = memory_.devices.at(node(sw).node_guid);
  return configured != RecoverySetting::kIgnore && device.has(entry.announced_by) &&
         (!entry.is_fast || device.has(DeviceCapabilities::kFastRecovery)) &&
         (entry.part != RecoveryPart::kProfiles ||
          node(sw).port_count >= PortProfiles::kPorts * entry.which);
}

bool RecoveryProgramming::any_applies(std::uint32_t sw) const {
  for (std::uint8_t setting = 0; setting < kRecoveryTable.size(); ++setting)
    if (applies(setting, sw)) return true;
  return false;
}

/// Reads the first setting from this one on that applies.
void RecoveryProgramming::read_from(std::uint8_t setting, std::uint32_t sw) {
  while (setting < kRecoveryTable.size() && !applies(setting, sw)) ++setting;
  if (setting < kRecoveryTable.size()) queries_.push_back({Kind::kRead, setting, sw});
}

bool RecoveryProgramming::next(Smp& request, std::uint64_t& cookie) {
  for (std::size_t waiting = queries_.size(); waiting > 0; --waiting) {
    const Query query = queries_.front();
    queries_.pop_front();
    const DirectedPath& path = observed_.nodes[query.sw].path();
    if (query.kind == Kind::kCapabilities) {
      if (memory_.kinds.is_silent(node(query.sw))) continue;
      if (!memory_.kinds.begin(node(query.sw))) {
        queries_.push_back(query);  // one switch of the kind is being asked
        continue;
      }
      request = directed_request(Method::kGet, kGeneralInfo, kCapabilityMaskOfDevice, path);
    } else {
      const RecoveryEntry& entry = kRecoveryTable[query.setting];
      request = directed_request(query.kind == Kind::kRead ? Method::kGet : Method::kSet,
                                 entry.attribute, entry.modifier, path);
      if (query.kind == Kind::kWrite) request.data = writes_[query.sw];
    }
    cookie = static_cast<std::uint64_t>(query.kind) << kRecoveryKindAt |
             static_cast<std::uint64_t>(query.setting) << kRecoverySettingAt | query.sw;
    return true;
  }
  return false;
}

namespace {

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

/// All methods that the switch supports; its times stay.
SmpData with_policy(const SmOptions& options, SmpData data) {
  PortRecoveryPolicy policy = decode_port_recovery_policy(data);
  policy.enabled =
      options.port_recovery == RecoverySetting::kEnable ? policy.supported : std::uint16_t{0};
  write_port_recovery_policy(policy, data);
  return data;
}

/// All ports of the switch in the profile that is configured.
SmpData with_profiles(unsigned block, unsigned port_count, const SmpData& data) {
  PortProfiles profiles = decode_port_profiles(data);
  for (unsigned i = 0; i < PortProfiles::kPorts; ++i) {
    const unsigned port = block * PortProfiles::kPorts + i;
    if (port >= 1 && port <= port_count) profiles.of[i] = kProfile;
  }
  return encode(profiles);
}

}  // namespace

SmpData RecoveryProgramming::wanted(std::uint8_t setting, std::uint32_t sw,
                                    const SmpData& read) const {
  const RecoveryEntry& entry = kRecoveryTable[setting];
  if (entry.part == RecoveryPart::kTrigger) return with_trigger(options_, entry.which, read);
  if (entry.part == RecoveryPart::kPolicy) return with_policy(options_, read);
  return with_profiles(entry.which, node(sw).port_count, read);
}

void RecoveryProgramming::answered(std::uint64_t cookie, const Smp& answer) {
  const Query query{static_cast<Kind>(cookie >> kRecoveryKindAt),
                    static_cast<std::uint8_t>(cookie >> kRecoverySettingAt),
                    static_cast<std::uint32_t>(cookie)};
  const bool good = answer.status == mad_status::kGood;
  if (query.kind != Kind::kCapabilities) {
    if (good) return on_setting(query, answer);
    return on_failure(query, status_text(answer.status));
  }
  memory_.kinds.answered(node(query.sw));
  memory_.devices[node(query.sw).node_guid] =
      good ? decode_device_capabilities(answer.data) : DeviceCapabilities{};
  if (!any_applies(query.sw)) return;
  ++report_.capable;
  read_from(0, query.sw);
}

void RecoveryProgramming::on_setting(const Query& query, const Smp& answer) {
  const SmpData setting = wanted(query.setting, query.sw, answer.data);
  if (setting == answer.data) {
    memory_.pauses.answered(node(query.sw).node_guid);
    report_.written += query.kind == Kind::kWrite ? 1 : 0;
    read_from(static_cast<std::uint8_t>(query.setting + 1), query.sw);
  } else if (query.kind == Kind::kWrite) {
    on_failure(query, "does not take the setting");
  } else {
    writes_[query.sw] = setting;
    queries_.push_back({Kind::kWrite, query.setting, query.sw});
  }
}

void RecoveryProgramming::on_failure(const Query& query, const std::string& why) {
  memory_.pauses.failed(node(query.sw).node_guid, now_);
  report_.failures.push_back(fmt::format("{} {}: {}, which it announces, is not set",
                                         describe(observed_.fabric.node(NodeId(query.sw))), why,
                                         kRecoveryTable[query.setting].name));
}

void RecoveryProgramming::failed(std::uint64_t cookie, const Error& why) {
  const Query query{static_cast<Kind>(cookie >> kRecoveryKindAt),
                    static_cast<std::uint8_t>(cookie >> kRecoverySettingAt),
                    static_cast<std::uint32_t>(cookie)};
  if (query.kind != Kind::kCapabilities) return on_failure(query, why.message);
  memory_.kinds.was_silent(node(query.sw));
}

}  // namespace weft
