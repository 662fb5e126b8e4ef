// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/devices/sharp.h"

#include <utility>

#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/sharp.h"
#include "ib/vendor/sharp_unconfirmed.h"
#include "policy/device_configuration.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr unsigned kSharpKindAt = 32;

}  // namespace

SharpProgramming::SharpProgramming(const Observed& observed, const SmOptions& options,
                                   SharpMemory& memory, TimeNs now, SharpReport& report)
    : observed_(observed), memory_(memory), now_(now), report_(report) {
  std::erase_if(memory.capable,
                [&](const auto& known) { return !observed.fabric.find_node(known.first); });
  const auto settings =
      settings_of_devices(options.devices, options.routing.port_groups, observed.fabric);
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    const std::optional<bool> own = settings.empty() ? std::nullopt : settings[s].sharp;
    if (!own && options.sharp_enabled == SharpSetting::kIgnore) continue;
    if (!sharp_unconfirmed::may_have_sharp(node(s).device_id)) continue;
    wanted_[s] = own.value_or(options.sharp_enabled == SharpSetting::kEnable);
    const auto known = memory.capable.find(node(s).node_guid);
    if (known == memory.capable.end()) {
      queries_.push_back({Kind::kCapabilities, s});
    } else if (known->second) {
      ++report.capable;
      if (memory.pauses.is_due(node(s).node_guid, now)) queries_.push_back({Kind::kRead, s});
    }
  }
}

bool SharpProgramming::next(Smp& request, std::uint64_t& cookie) {
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
      request = directed_request(query.kind == Kind::kRead ? Method::kGet : Method::kSet,
                                 AttributeId::kMlnxExtendedPortInfo,
                                 sharp_unconfirmed::kPortOfSwitch, path);
      if (query.kind == Kind::kWrite) request.data = writes_[query.sw];
    }
    cookie = static_cast<std::uint64_t>(query.kind) << kSharpKindAt | query.sw;
    return true;
  }
  return false;
}

void SharpProgramming::answered(std::uint64_t cookie, const Smp& answer) {
  const Query query{static_cast<Kind>(cookie >> kSharpKindAt), static_cast<std::uint32_t>(cookie)};
  const bool good = answer.status == mad_status::kGood;
  if (query.kind != Kind::kCapabilities) {
    if (good) return on_setting(query, answer);
    return on_failure(query, status_text(answer.status));
  }
  memory_.kinds.answered(node(query.sw));
  const bool capable =
      good && decode_device_capabilities(answer.data).has(DeviceCapabilities::kSharp) &&
      decode_device_capabilities(answer.data).has(DeviceCapabilities::kExtendedPortInfo);
  memory_.capable[node(query.sw).node_guid] = capable;
  if (!capable) return;
  ++report_.capable;
  queries_.push_back({Kind::kRead, query.sw});
}

void SharpProgramming::on_setting(const Query& query, const Smp& answer) {
  memory_.pauses.answered(node(query.sw).node_guid);
  const bool wanted = wanted_[query.sw];
  const bool is_as_wanted = is_sharp_enabled(answer.data) == wanted;
  if (is_as_wanted) {
    report_.enabled += wanted ? 1 : 0;
    report_.written += query.kind == Kind::kWrite ? 1 : 0;
  } else if (query.kind == Kind::kWrite) {
    on_failure(query, "does not take the setting");
  } else {
    // The other fields stay as they were read.
    SmpData data = answer.data;
    set_sharp_enabled(data, wanted);
    writes_[query.sw] = data;
    queries_.push_back({Kind::kWrite, query.sw});
  }
}

void SharpProgramming::on_failure(const Query& query, const std::string& why) {
  memory_.pauses.failed(node(query.sw).node_guid, now_);
  report_.failures.push_back(fmt::format("{} {}: SHARP, which it announces, is not {}",
                                         describe(observed_.fabric.node(NodeId(query.sw))), why,
                                         wanted_[query.sw] ? "enabled" : "disabled"));
}

void SharpProgramming::failed(std::uint64_t cookie, const Error& why) {
  const Query query{static_cast<Kind>(cookie >> kSharpKindAt), static_cast<std::uint32_t>(cookie)};
  if (query.kind != Kind::kCapabilities) return on_failure(query, why.message);
  memory_.kinds.was_silent(node(query.sw));
  memory_.capable[node(query.sw).node_guid] = false;
}

}  // namespace weft
