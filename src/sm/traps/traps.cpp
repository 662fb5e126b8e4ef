// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/traps/traps.h"

#include <algorithm>

#include "base/log.h"
#include "ib/modifiers.h"
#include "sm/discovery/directed.h"

namespace weft {

/// TrapRepress needs the M_Key of the sender.
Mkey Traps::key_of(Lid lid) const {
  const EndportId sender = sm_.memory.holder_of(lid);
  if (sender == kNoEndport) return sm_.options.m_key;
  const Fabric& fabric = *sm_.memory.active_fabric();
  return sm_.keys.of(fabric.port(fabric.endport(sender).port).guid);
}

/// With the name of the sender if it is known.
std::string Traps::describe_trap(const Notice& notice, Lid from) const {
  const EndportId sender = sm_.memory.holder_of(from);
  std::string text = describe(notice, from);
  if (sender != kNoEndport) {
    const Fabric& fabric = *sm_.memory.active_fabric();
    text += ", " + describe(fabric, fabric.endport(sender).port);
  }
  if (is_about_errors(notice))
    text += fmt::format(" about its port {}", decode_trap_port_error(notice.details).port.value());
  return text;
}

void Traps::repress(const Smp& trap) {
  if (!can_repress(trap)) return;
  Smp answer = answer_to(trap, Method::kTrapRepress);
  answer.mkey = key_of(trap.slid);
  const auto sent = sm_.client.send(answer);
  if (!sent) log::warn("TrapRepress to LID {}: {}", trap.slid.value(), sent.error().message);
}

void Traps::record(const Notice& notice, Lid from, const std::string& what) {
  log::info("Received {}", what);
  sm_.occurrences.add(TrapReceived{from, notice.trap, what});
  if (received_.size() >= kReceivedMax) return;
  received_.push_back(notice);
  if (notice.issuer_lid == kLidNone) received_.back().issuer_lid = from;
}

Traps::Reaction Traps::on_trap(const Smp& trap) {
  if (sm_.state != SmState::kMaster && sm_.state != SmState::kDiscovering) return {};
  repress(trap);
  const Notice notice = *decode_notice(trap.data);
  const std::string what = describe_trap(notice, trap.slid);
  const unsigned count = ledger_.count(notice, trap.slid, sm_.now());
  if (count <= TrapLedger::kHandledMax) record(notice, trap.slid, what);
  if (count == TrapLedger::kHandledMax)
    log::warn("{} of {} in a row: further ones are ignored", count, what);
  if (sm_.options.babbling_port_policy && is_about_errors(notice) &&
      count % TrapLedger::kBabblingFrom == 0)
    plan_disabling(decode_trap_port_error(notice.details), what);
  if (!sm_.options.sweep_on_trap) return {};
  const TrapEffect effect = effect_of(notice);
  if (count > TrapLedger::kHandledMax && effect != TrapEffect::kNone) {
    sm_.schedule.trap_storm_ends =
        std::min(sm_.schedule.trap_storm_ends, sm_.now() + TrapLedger::kForgottenAfter);
    return {};
  }
  return {effect, what, trap.slid};
}

// ---- Babbling ports

/// Disables the switch-side port, so that it can be enabled again remotely; never the one cabled to
/// the manager.
void Traps::plan_disabling(const TrapPortError& error, const std::string& what) {
  const EndportId holder = sm_.memory.holder_of(error.lid);
  const auto& observed = sm_.memory.observed;
  if (holder == kNoEndport || !observed) return;
  const Fabric& fabric = *sm_.memory.active_fabric();
  const Endport& endport = fabric.endport(holder);
  const PortId port = fabric.is_switch(endport.node) ? fabric.port_id(endport.node, error.port)
                                                     : fabric.port(endport.port).peer;
  if (port == kNoPort || error.port == PortNum(0) || fabric.port(port).peer == kNoPort) return;
  const Guid own = observed->fabric.node(observed->self).node_guid;
  const Guid near = fabric.node(fabric.port(port).node).node_guid;
  const Guid far = fabric.node(fabric.port(fabric.port(port).peer).node).node_guid;
  if (far == own || (near == own && !fabric.is_switch(endport.node)))
    return log::error("{}: the manager's own port is not disabled", what);
  if (!fabric.is_switch(fabric.port(port).node)) return;
  log::error("Disabling {}: {} times {}", describe(fabric, port), TrapLedger::kBabblingFrom, what);
  babbling_ports_.push_back({near, fabric.port(port).num});
}

bool Traps::begin_disabling() {
  while (!babbling_ports_.empty()) {
    const CableEnd end = babbling_ports_.back();
    babbling_ports_.pop_back();
    if (begin_disabling(end)) return true;
  }
  return false;
}

bool Traps::begin_disabling(const CableEnd& end) {
  const Observed& observed = *sm_.memory.observed;
  const auto node = observed.fabric.find_node(end.guid);
  if (!node) return false;
  const ObservedNode& seen = observed.nodes[node->value()];
  PortInfo info = seen.ports[end.port.value()];
  info.state = PortState::kNoChange;
  info.phys_state = PhysState::kDisabled;
  Smp request = directed_request(Method::kSet, AttributeId::kPortInfo,
                                 seen.port_info_modifier(end.port), seen.path());
  request.data = encode(info);
  disabling_ = std::make_unique<OneSmp>(request);
  return true;
}

void Traps::step(TimeNs deadline) {
  if (sm_.client.step(*disabling_, deadline)) return;
  const auto disabling = std::move(disabling_);
  if (!disabling->answer())
    return log::error("cannot disable the babbling port {}", disabling->failure());
  sm_.request_heavy_sweep("a babbling port was disabled");
}

}  // namespace weft
