// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/light_sweep.h"

#include <algorithm>

#include "ib/enums.h"
#include "ib/modifiers.h"
#include "ib/switch_info.h"
#include "ib/vendor/vports.h"
#include "sm/discovery/busy.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr unsigned kQueryShift = 32;
constexpr unsigned kWorkShift = 40;  // index of LightSweep::add()

}  // namespace

void LightSweep::skip_requests_not_due() {
  const std::size_t first = observed_.fabric.switch_count() + 1;
  while (at_ >= first && at_ - first < observed_.silent.size() &&
         !is_due(RetryPauses::name(observed_.silent[at_ - first])))
    ++at_;
}

bool LightSweep::next(Smp& request, std::uint64_t& cookie) {
  skip_requests_not_due();
  const std::size_t switches = observed_.fabric.switch_count();
  if (!change_.empty() && !reads_port_states_ &&
      (!beyond_ports_.empty() || extent_ == Extent::kFirstChange))
    return false;
  if (at_ > switches + observed_.silent.size()) return next_after_switches(request, cookie);
  Asked asked = Asked::kSwitch;
  std::size_t index = at_;
  if (at_ < switches) {
    fill_directed_request(request, Method::kGet, AttributeId::kSwitchInfo, 0,
                          observed_.nodes[at_].path());
  } else if (at_ == switches) {
    asked = Asked::kOwnPort;
    index = 0;
    fill_directed_request(request, Method::kGet, AttributeId::kPortInfo,
                          modifier::port_info(observed_.self_port), {});
  } else {
    asked = Asked::kSilent;
    index = at_ - switches - 1;
    const SilentPort& silent = observed_.silent[index];
    fill_directed_request(request, Method::kGet, silent.attribute, silent.modifier, silent.path);
  }
  cookie = static_cast<std::uint64_t>(asked) << kQueryShift | index;
  ++at_;
  return true;
}

void LightSweep::watch_vports() {
  for (const auto& [guid, vports] : observed_.vports.hosts())
    if (const auto endport = observed_.fabric.find_endport(guid); endport && vports->info.enabled)
      virtualized_.push_back(*endport);
}

bool LightSweep::next_after_switches(Smp& request, std::uint64_t& cookie) {
  if (next_vports(request, cookie) || next_more(request, cookie)) return true;
  std::uint32_t number = 0;
  if (!port_states_ || !port_states_->next(request, number)) return false;
  reads_port_states_ = true;
  cookie = static_cast<std::uint64_t>(Asked::kPortStates) << kQueryShift | number;
  return true;
}

bool LightSweep::next_more(Smp& request, std::uint64_t& cookie) {
  for (std::size_t work = 0; work < more_.size(); ++work) {
    if (!more_[work]->next(request, cookie)) continue;
    cookie |= static_cast<std::uint64_t>(Asked::kMore) << kQueryShift | work << kWorkShift;
    return true;
  }
  return false;
}

bool LightSweep::next_vports(Smp& request, std::uint64_t& cookie) {
  if (vports_asked_ == virtualized_.size()) return false;
  const Endport& endport = observed_.fabric.endport(virtualized_[vports_asked_]);
  fill_directed_request(
      request, Method::kGet, kVirtualizationInfo, 0,
      observed_.nodes[endport.node.value()].path(observed_.fabric.port(endport.port).num));
  cookie = static_cast<std::uint64_t>(Asked::kVports) << kQueryShift | vports_asked_++;
  return true;
}

void LightSweep::on_vports(std::uint32_t index, const Smp& answer) {
  if (answer.status != mad_status::kGood) return;
  if (!decode_virtualization_info(answer.data).state_change) return;
  const PortId port = observed_.fabric.endport(virtualized_[index]).port;
  changed_vports_.push_back(observed_.fabric.port(port).guid);
}

void LightSweep::on_port_states(std::uint32_t number, const Smp& answer) {
  std::string change = port_states_->answered(number, answer);
  if (change.empty()) return;
  const NodeId sw = port_states_->switch_of(number);
  if (std::ranges::find(changed_switches_, sw) == changed_switches_.end())
    changed_switches_.push_back(sw);
  found(std::move(change), false);
}

void LightSweep::found(std::string change, bool beyond_ports) {
  if (beyond_ports && beyond_ports_.empty()) beyond_ports_ = change;
  if (change_.empty()) change_ = std::move(change);
}

void LightSweep::answered(std::uint64_t cookie, const Smp& answer) {
  const auto index = static_cast<std::uint32_t>(cookie);
  switch (static_cast<Asked>(cookie >> kQueryShift)) {
    case Asked::kSwitch:
      return on_switch(index, answer);
    case Asked::kOwnPort:
      return on_own_port(answer);
    case Asked::kVports:
      return on_vports(index, answer);
    case Asked::kMore:
      return more_[cookie >> kWorkShift]->answered(index, answer);
    case Asked::kPortStates:
      return on_port_states(index, answer);
    case Asked::kSilent:
      if (answer.status != mad_status::kGood) return;
      answering_.push_back(RetryPauses::name(observed_.silent[index]));
      return found(fmt::format("{}, which {}, answers", observed_.silent[index].name,
                               observed_.silent[index].refused ? "refused" : "was silent"));
  }
}

void LightSweep::on_own_port(const Smp& answer) {
  if (is_busy(answer)) return;  // the next light sweep queries the port again
  const auto info = decode_port_info(answer.data);
  const PortInfo& before =
      observed_.nodes[observed_.self.value()].ports[observed_.self_port.value()];
  if (answer.status != mad_status::kGood)
    return found("the port of the subnet manager " + status_text(answer.status));
  if (!info) return found("the port of the subnet manager answers with invalid PortInfo");
  if (info->state != before.state || info->lid != before.lid)
    found(fmt::format(
        "the port of the subnet manager changed: PortState {} and LID {}, expected {} and {}",
        port_state_text(info->state), info->lid.value(), port_state_text(before.state),
        before.lid.value()));
}

void LightSweep::on_switch(std::uint32_t node, const Smp& answer) {
  if (is_busy(answer)) return;
  const std::string sw = describe(observed_.fabric.node(NodeId(node)));
  if (answer.status != mad_status::kGood)
    return found(fmt::format("{} {}", sw, status_text(answer.status)));
  const SwitchInfo info = *decode_switch_info(answer.data);
  const SwitchInfo& before = observed_.nodes[node].switch_info;
  if (info.port_state_change && before.port_state_change) {  // the bit could not be cleared
    if (is_due(sw)) {
      answering_.push_back(sw);
      found(fmt::format("{} still reports a port state change", sw), false);
      changed_switches_.push_back(NodeId(node));
    }
  } else if (info.port_state_change) {
    found(fmt::format("{} reports a port state change", sw), false);
    changed_switches_.push_back(NodeId(node));
  }
  if (info.linear_fdb_top != before.linear_fdb_top) {
    found(fmt::format(
        "{}: LinearFDBTop is {}, expected {}: the switch was reset, or another manager wrote it",
        sw, info.linear_fdb_top, before.linear_fdb_top));
  }
}

void LightSweep::failed(std::uint64_t cookie, const Error& why) {
  switch (static_cast<Asked>(cookie >> kQueryShift)) {
    case Asked::kSwitch:
      return found(fmt::format(
          "{} {}", describe(observed_.fabric.node(NodeId(static_cast<std::uint32_t>(cookie)))),
          why.message));
    case Asked::kOwnPort:
      return found("the port of the subnet manager " + why.message);
    case Asked::kMore:
      return more_[cookie >> kWorkShift]->failed(static_cast<std::uint32_t>(cookie), why);
    case Asked::kPortStates:
      return port_states_->failed(static_cast<std::uint32_t>(cookie));
    case Asked::kSilent:
    case Asked::kVports:
      return;  // not a change
  }
}

}  // namespace weft
