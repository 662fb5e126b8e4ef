// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/setting_programming.h"

#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr unsigned kQueryKindAt = 40, kQuerySettingAt = 32;

}  // namespace

SettingProgramming::SettingProgramming(const Observed& observed, VendorSettings& settings,
                                       AnnouncedCapabilities& announced, DevicePauses& pauses,
                                       TimeNs now, SettingReport& report)
    : observed_(observed),
      settings_(settings),
      announced_(announced),
      general_info_(observed, announced),
      pauses_(pauses),
      now_(now),
      report_(report) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    if (!settings.concerns(s)) continue;
    if (announced.find(node(s).node_guid) != nullptr)
      begin(s);
    else if (announced.may_have_general_info(node(s)))
      general_info_.add(NodeId(s));
  }
}

std::uint64_t SettingProgramming::cookie_of(const Query& query) {
  return static_cast<std::uint64_t>(query.kind) << kQueryKindAt |
         static_cast<std::uint64_t>(query.setting) << kQuerySettingAt | query.sw;
}

SettingProgramming::Query SettingProgramming::of_cookie(std::uint64_t cookie) {
  return {static_cast<Kind>(cookie >> kQueryKindAt),
          static_cast<std::uint8_t>(cookie >> kQuerySettingAt), static_cast<std::uint32_t>(cookie)};
}

/// The first setting at or after `setting` that applies to the switch; count() if there is none.
std::uint8_t SettingProgramming::first_from(std::uint8_t setting, std::uint32_t sw) const {
  const DeviceCapabilities& announced = *announced_.find(node(sw).node_guid);
  while (setting < settings_.count() && !settings_.applies(setting, sw, announced)) ++setting;
  return setting;
}

/// Starts reading the settings of a switch with known capabilities.
void SettingProgramming::begin(std::uint32_t sw) {
  if (first_from(0, sw) == settings_.count()) return;
  ++report_.capable;
  if (pauses_.is_due(node(sw).node_guid, now_)) read_from(0, sw);
}

void SettingProgramming::read_from(std::uint8_t setting, std::uint32_t sw) {
  setting = first_from(setting, sw);
  if (setting < settings_.count()) queries_.push_back({Kind::kRead, setting, sw});
}

bool SettingProgramming::next(Smp& request, std::uint64_t& cookie) {
  if (const auto device = general_info_.next(request)) {
    cookie = cookie_of({Kind::kCapabilities, 0, device->value()});
    return true;
  }
  if (queries_.empty()) return false;
  const Query query = queries_.front();
  queries_.pop_front();
  const VendorSettings::Address address = settings_.address(query.setting);
  fill_directed_request(request, query.kind == Kind::kRead ? Method::kGet : Method::kSet,
                        address.attribute, address.modifier, observed_.nodes[query.sw].path());
  if (query.kind == Kind::kWrite) request.data = writes_[query.sw];
  cookie = cookie_of(query);
  return true;
}

void SettingProgramming::answered(std::uint64_t cookie, const Smp& answer) {
  const Query query = of_cookie(cookie);
  if (query.kind == Kind::kCapabilities) {
    general_info_.answered(NodeId(query.sw), answer);
    begin(query.sw);
  } else if (answer.status == mad_status::kGood) {
    on_setting(query, answer);
  } else {
    on_failure(query, status_text(answer.status));
  }
}

void SettingProgramming::on_setting(const Query& query, const Smp& answer) {
  if (query.kind == Kind::kRead) settings_.note_read(query.setting, query.sw, answer.data);
  const SmpData wanted = settings_.wanted(query.setting, query.sw, answer.data);
  if (wanted == answer.data) {
    pauses_.answered(node(query.sw).node_guid);
    report_.written += query.kind == Kind::kWrite ? 1 : 0;
    settings_.confirmed(query.setting, query.sw);
    read_from(static_cast<std::uint8_t>(query.setting + 1), query.sw);
  } else if (query.kind == Kind::kWrite) {
    on_failure(query, "does not apply the setting");
  } else {
    writes_[query.sw] = wanted;
    queries_.push_back({Kind::kWrite, query.setting, query.sw});
  }
}

void SettingProgramming::on_failure(const Query& query, const std::string& why) {
  pauses_.failed(node(query.sw).node_guid, now_);
  report_.failures.push_back(fmt::format("{} {}: {}",
                                         describe(observed_.fabric.node(NodeId(query.sw))), why,
                                         settings_.shortcoming(query.setting, query.sw)));
}

void SettingProgramming::failed(std::uint64_t cookie, const Error& why) {
  const Query query = of_cookie(cookie);
  if (query.kind == Kind::kCapabilities) return general_info_.failed(NodeId(query.sw));
  on_failure(query, why.message);
}

}  // namespace weft
