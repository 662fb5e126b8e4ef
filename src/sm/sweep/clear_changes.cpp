// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/clear_changes.h"

#include "ib/modifiers.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

constexpr unsigned kClearedPortShift = 32;

}  // namespace

ChangeClearing::ChangeClearing(Observed& observed) : observed_(observed) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s)
    if (observed.nodes[s].switch_info.port_state_change) queries_.push_back({s, 0});
}

bool ChangeClearing::next(Smp& request, std::uint64_t& cookie) {
  if (queries_.empty() || !change_.empty()) return false;
  const Query query = queries_.front();
  queries_.pop_front();
  const ObservedNode& node = observed_.nodes[query.node];
  if (query.port == 0) {
    fill_directed_request(request, Method::kSet, AttributeId::kSwitchInfo, 0, node.path());
    request.data = encode(node.switch_info);
  } else {
    fill_directed_request(request, Method::kGet, AttributeId::kPortInfo,
                          modifier::port_info(PortNum(query.port)), node.path());
  }
  cookie = query.node | std::uint64_t{query.port} << kClearedPortShift;
  return true;
}

std::string ChangeClearing::name(std::uint64_t cookie) const {
  const auto node = static_cast<std::uint32_t>(cookie);
  return fmt::format("{} port {}", describe(observed_.fabric.node(NodeId(node))),
                     cookie >> kClearedPortShift);
}

void ChangeClearing::found(std::string change) {
  if (change_.empty()) change_ = std::move(change);
}

void ChangeClearing::answered(std::uint64_t cookie, const Smp& answer) {
  const auto index = static_cast<std::uint32_t>(cookie);
  const auto port = static_cast<std::uint8_t>(cookie >> kClearedPortShift);
  ObservedNode& node = observed_.nodes[index];
  if (port == 0 && answer.status != mad_status::kGood) {
    // The bit stays set, and the next light sweep finds it.
    warnings_.push_back(fmt::format("{} {} when PortStateChange is cleared",
                                    describe(observed_.fabric.node(NodeId(index))),
                                    status_text(answer.status)));
    return;
  }
  if (port == 0) {
    const auto info = decode_switch_info(answer.data);
    if (info && info->port_state_change && set_again_.insert(index).second)
      return queries_.push_back({index, 0});  // as in the discovery: some switches need two Sets
    node.switch_info.port_state_change = false;
    for (std::size_t p = 1; p < node.ports.size(); ++p)
      if (node.answered[p]) queries_.push_back({index, static_cast<std::uint8_t>(p)});
    return;
  }
  const auto info = decode_port_info(answer.data);
  if (answer.status != mad_status::kGood)
    return found(fmt::format("{} {}", name(cookie), status_text(answer.status)));
  if (!info) return found(name(cookie) + " answers with invalid PortInfo");
  if (info->state != node.ports[port].state || info->phys_state != node.ports[port].phys_state)
    found(fmt::format("{}: PortState {} and PortPhysicalState {}, before {} and {}", name(cookie),
                      port_state_text(info->state), static_cast<unsigned>(info->phys_state),
                      port_state_text(node.ports[port].state),
                      static_cast<unsigned>(node.ports[port].phys_state)));
}

void ChangeClearing::failed(std::uint64_t cookie, const Error& why) {
  found(name(cookie) + " " + why.message);
}

}  // namespace weft
