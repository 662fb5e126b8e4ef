// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/ar_reading.h"

#include <algorithm>

#include "ib/adaptive_unconfirmed.h"
#include "sm/discovery/directed.h"

namespace weft {

bool may_have_general_info(const NodeInfo& node, const ArKnowledge& known, const ArConf& conf) {
  const auto& more = conf.more_devices;
  return node.type == NodeType::kSwitch && !known.is_silent(node) &&
         ((conf.default_devices && ar_unconfirmed::may_support_general_info(node.device_id)) ||
          std::ranges::find(more, node.device_id) != more.end());
}

bool may_be_adaptive(const ObservedNode& sw) {
  return (ar_unconfirmed::kCapabilitiesWithAdaptive & ~sw.ports[0].capability_mask) == 0;
}

ArReading::ArReading(const Observed& observed, ArKnowledge& known, const ArConf& conf,
                     ArScope scope)
    : observed_(observed), known_(known), conf_(conf), scope_(scope) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    if (!may_have_general_info(node(s), known, conf)) continue;
    if (scope != ArScope::kEach && !may_be_adaptive(observed.nodes[s])) continue;
    const ArHeld* held = known.find(node(s).node_guid);
    if (held == nullptr || !held->device)
      wanted_.push_back({ArQuery::kDevice, s});
    else if (held->announces() && !held->refuses)
      wanted_.push_back({ArQuery::kInfo, s});
  }
}

/// True while one switch of its kind, which never answered, is being queried.
bool ArReading::must_wait(const Asked& asked) {
  const NodeInfo& info = node(asked.sw);
  return asked.query == ArQuery::kDevice && !known_.has_answered(info) &&
         !probing_.insert(ArKnowledge::kind(info)).second;
}

bool ArReading::next(Smp& request, std::uint64_t& cookie) {
  for (std::size_t waiting = wanted_.size(); waiting > 0; --waiting) {
    const Asked asked = wanted_.front();
    wanted_.pop_front();
    if (known_.is_silent(node(asked.sw))) continue;  // since it was queued
    if (must_wait(asked)) {
      wanted_.push_back(asked);
      continue;
    }
    fill(asked, request);
    cookie = cookie_of(asked);
    return true;
  }
  return false;
}

void ArReading::fill(const Asked& asked, Smp& request) const {
  const DirectedPath& path = observed_.nodes[asked.sw].path();
  switch (asked.query) {
    case ArQuery::kDevice:
      request = directed_request(Method::kGet, kGeneralInfo, kCapabilityMaskOfDevice, path);
      break;
    case ArQuery::kInfo:
      request = directed_request(Method::kGet, kAdaptiveRoutingInfo, 0, path);
      break;
    case ArQuery::kCapacity:
      request = directed_request(Method::kGet, kAdaptiveRoutingInfo,
                                 ar_unconfirmed::kCapacityForSettings, path);
      request.data = encode(settings_of(asked.sw));
      break;
  }
}

/// Without what depends on the routes, so that a switch computes once as long as the configuration
/// stays.
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
  const NodeInfo& info = node(asked.sw);
  known_.answered(info);
  probing_.erase(ArKnowledge::kind(info));
  ArHeld& held = known_.at(info.node_guid);
  const bool good = answer.status == mad_status::kGood;
  switch (asked.query) {
    case ArQuery::kDevice:
      on_device(asked.sw, answer);
      break;
    case ArQuery::kInfo:
      on_info(asked.sw, answer);
      break;
    case ArQuery::kCapacity:
      held.computed = {settings_of(asked.sw),
                       good ? decode_adaptive_routing_info(answer.data).group_capacity
                            : held.info.group_capacity};
      break;
  }
}

void ArReading::on_device(std::uint32_t sw, const Smp& answer) {
  ArHeld& held = known_.at(node(sw).node_guid);
  held.device = answer.status == mad_status::kGood ? decode_device_capabilities(answer.data)
                                                   : DeviceCapabilities{};
  if (held.announces())
    wanted_.push_back({ArQuery::kInfo, sw});
  else if (scope_ == ArScope::kAllOrNone)
    wanted_.clear();
}

void ArReading::on_info(std::uint32_t sw, const Smp& answer) {
  ArHeld& held = known_.at(node(sw).node_guid);
  const bool was_on = held.info.enabled;
  held.answers = answer.status == mad_status::kGood;
  held.refuses = !held.answers;
  held.info = held.answers ? decode_adaptive_routing_info(answer.data) : AdaptiveRoutingInfo{};
  // Changed by another manager: its AR tables are unknown.
  if (was_on != held.info.enabled || held.info.sub_groups_active != 0) held.forget_tables();
  if (held.answers && held.info.computes_capacity &&
      (!held.computed || held.computed->settings != settings_of(sw)))
    wanted_.push_back({ArQuery::kCapacity, sw});
}

void ArReading::failed(std::uint64_t cookie, const Error&) {
  const Asked asked = of_cookie(cookie);
  const NodeInfo& info = node(asked.sw);
  if (asked.query == ArQuery::kCapacity) known_.at(info.node_guid).computed.reset();
  known_.was_silent(info);
  if (scope_ == ArScope::kAllOrNone && known_.is_silent(info)) wanted_.clear();
  probing_.erase(ArKnowledge::kind(info));
}

}  // namespace weft
