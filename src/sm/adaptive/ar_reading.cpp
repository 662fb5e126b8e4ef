// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/ar_reading.h"

#include "ib/adaptive_unconfirmed.h"
#include "sm/adaptive/ar_settings.h"
#include "sm/discovery/directed.h"

namespace weft {

bool may_be_adaptive(const ObservedNode& sw) {
  return (ar_unconfirmed::kCapabilitiesWithAdaptive & ~sw.ports[0].capability_mask) == 0;
}

ArReading::ArReading(const Observed& observed, AnnouncedCapabilities& announced, ArMemory& known,
                     const ArConf& conf, ArScope scope)
    : observed_(observed),
      announced_(announced),
      general_info_(observed, announced),
      known_(known),
      conf_(conf),
      scope_(scope) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    if (scope != ArScope::kEach && !may_be_adaptive(observed.nodes[s])) continue;
    const Guid guid = node(s).node_guid;
    const ArHeld* held = known.find(guid);
    if (announced.announces(guid, DeviceCapabilities::kAdaptiveRouting)) {
      if (held == nullptr || !held->refuses) wanted_.push_back({ArQuery::kInfo, s});
    } else if (announced.may_have_general_info(node(s))) {
      general_info_.add(NodeId(s));
    }
  }
}

bool ArReading::next(Smp& request, std::uint64_t& cookie) {
  if (const auto device = general_info_.next(request)) {
    cookie = cookie_of({ArQuery::kDevice, device->value()});
    return true;
  }
  if (wanted_.empty()) return false;
  const Asked asked = wanted_.front();
  wanted_.pop_front();
  if (asked.query == ArQuery::kPrivateInfo) {
    fill_directed_request(request, Method::kGet, kPrivateLftInfo, 0,
                          observed_.nodes[asked.sw].path());
    cookie = cookie_of(asked);
    return true;
  }
  const bool computes = asked.query == ArQuery::kCapacity;
  fill_directed_request(request, Method::kGet, kAdaptiveRoutingInfo,
                        computes ? ar_unconfirmed::kCapacityForSettings : 0,
                        observed_.nodes[asked.sw].path());
  if (computes) request.data = known_.at(node(asked.sw).node_guid).encoded(settings_of(asked.sw));
  cookie = cookie_of(asked);
  return true;
}

/// The settings for which the switch computes the group capacity. Fields that depend on the routes
/// are cleared, so that a query is necessary only after a change of the configuration.
AdaptiveRoutingInfo ArReading::settings_of(std::uint32_t sw) const {
  const Guid guid = node(sw).node_guid;
  AdaptiveRoutingInfo settings = configured(*known_.find(guid), conf_, guid);
  settings.group_capacity = settings.group_top = 0;
  settings.rn_transmission = settings.global_groups = false;
  set_enabled(settings, AdaptiveRoutingInfo::kPfrnEnabled, false);
  return settings;
}

void ArReading::answered(std::uint64_t cookie, const Smp& answer) {
  const Asked asked = of_cookie(cookie);
  switch (asked.query) {
    case ArQuery::kDevice:
      on_device(asked.sw, general_info_.answered(NodeId(asked.sw), answer));
      break;
    case ArQuery::kInfo:
      on_info(asked.sw, answer);
      break;
    case ArQuery::kPrivateInfo:
      on_private_info(asked.sw, answer);
      break;
    case ArQuery::kCapacity: {
      ArHeld& held = known_.at(node(asked.sw).node_guid);
      held.computed = {settings_of(asked.sw),
                       answer.status == mad_status::kGood
                           ? decode_adaptive_routing_info(answer.data).group_capacity
                           : held.info.group_capacity};
      break;
    }
  }
}

/// Ends the queries of switches.
void ArReading::stop() {
  general_info_.clear();
  wanted_.clear();
}

void ArReading::on_device(std::uint32_t sw, const DeviceCapabilities& announced) {
  if (announced.has(DeviceCapabilities::kAdaptiveRouting))
    wanted_.push_back({ArQuery::kInfo, sw});
  else if (scope_ == ArScope::kAllOrNone)
    stop();
}

void ArReading::on_info(std::uint32_t sw, const Smp& answer) {
  ArHeld& held = known_.at(node(sw).node_guid);
  const bool was_on = held.info.enabled;
  const std::uint8_t sub_groups = held.info.sub_groups_active;
  held.answers = answer.status == mad_status::kGood;
  held.refuses = !held.answers;
  held.store_info(held.answers ? answer.data : SmpData{});
  if (!was_on && held.info.enabled) held.has_foreign_entries = held.announces_hashing();
  // The switch restarted, or another manager has changed the settings: the AR tables are unknown.
  if (was_on != held.info.enabled || held.info.sub_groups_active != sub_groups)
    held.forget_tables();
  forget_outdated_refusals(conf_, node(sw).node_guid, held);
  if (held.answers && held.info.computes_capacity &&
      (!held.computed || held.computed->settings != settings_of(sw)))
    wanted_.push_back({ArQuery::kCapacity, sw});
  const Guid guid = node(sw).node_guid;
  held.selects_tables_by_sl = announced_.announces(guid, DeviceCapabilities::kPortSlToPrivateLft);
  if (held.answers && !held.refuses_private_info &&
      announced_.announces(guid, DeviceCapabilities::kPrivateLft))
    wanted_.push_back({ArQuery::kPrivateInfo, sw});
}

void ArReading::on_private_info(std::uint32_t sw, const Smp& answer) {
  ArHeld& held = known_.at(node(sw).node_guid);
  const std::uint8_t mode = held.private_info ? held.private_info->mode_in_use : std::uint8_t{0};
  held.private_info.reset();
  held.refuses_private_info = answer.status != mad_status::kGood;
  if (!held.refuses_private_info) held.private_info = decode_private_lft_info(answer.data);
  // The switch restarted, or another manager has changed the mode: the tables are unknown.
  if (held.private_info && held.private_info->mode_in_use != mode) held.forget_tables();
}

void ArReading::failed(std::uint64_t cookie, const Error&) {
  const Asked asked = of_cookie(cookie);
  const NodeInfo& info = node(asked.sw);
  if (asked.query == ArQuery::kPrivateInfo) known_.at(info.node_guid).private_info.reset();
  if (asked.query == ArQuery::kCapacity) known_.at(info.node_guid).computed.reset();
  if (asked.query != ArQuery::kDevice) return;
  general_info_.failed(NodeId(asked.sw));
  if (scope_ == ArScope::kAllOrNone && !announced_.may_be_queried(info)) stop();
}

}  // namespace weft
