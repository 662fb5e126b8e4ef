// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/traps/traps.h"

#include <algorithm>

#include "base/log.h"
#include "ib/modifiers.h"
#include "ib/vendor/vports.h"
#include "sm/discovery/directed.h"
#include "sm/health/health_watch.h"
#include "sm/traps/trap_source.h"

namespace weft {

/// Describes a trap, with the name of the sender if known.
std::string Traps::describe_trap(const Notice& notice, Lid from) const {
  const EndportId sender = sm_.memory.endport_with(from);
  std::string text = describe(notice, from);
  if (sender != kNoEndport) {
    const Fabric& fabric = *sm_.memory.active_fabric();
    text += ", " + describe(fabric, fabric.endport(sender).port);
  }
  if (is_about_errors(notice)) {
    const TrapPortError error = decode_trap_port_error(notice.details);
    text += fmt::format(" about port {} of LID {}", error.port.value(),
                        (error.lid == kLidNone ? from : error.lid).value());
  }
  return text;
}

/// Sends TrapRepress with the known M_Key of the port, because the port ignores other keys. Never
/// sends a key that was not set in this port.
void Traps::repress(const Smp& trap, EndportId sender) {
  const Fabric& fabric = *sm_.memory.active_fabric();
  Smp answer = answer_to(trap, Method::kTrapRepress);
  answer.mkey = sm_.keys.held_by(fabric.port(fabric.endport(sender).port).guid);
  const auto sent = sm_.client.send(answer);
  if (!sent)
    log::warn("cannot send TrapRepress to LID {}: {}", trap.slid.value(), sent.error().message);
}

bool Traps::may_log(Lid sender) {
  unsigned unlogged = 0;
  if (!limits_.may_log(sender, sm_.now(), unlogged)) return false;
  if (unlogged > 0 && sender == kLidNone)
    log::warn("{} traps from LIDs that are not assigned were not logged", unlogged);
  else if (unlogged > 0)
    log::warn("{} traps from LID {} were not logged", unlogged, sender.value());
  return true;
}

void Traps::record(const Notice& notice, Lid from, Lid sender, const std::string& what) {
  if (may_log(sender)) {
    log::info("Received {}", what);
    sm_.occurrences.add(TrapReceived{from, vendor_trap_number(notice).value_or(notice.trap), what});
  }
  if (received_.size() >= kReceivedMax) return;
  received_.push_back(notice);
  const Fabric& fabric = *sm_.memory.active_fabric();
  if (fabric.endport_of(notice.issuer_lid) != fabric.endport_of(from))
    received_.back().issuer_lid = from;
}

void Traps::reject(Lid sender, const std::string& what, const std::string& objection) {
  if (!may_log(sender)) return;
  log::warn("Ignored {}: it {}", what, objection);
}

/// Two kinds of senders have a LID that this manager did not assign. A switch that the sweep in
/// progress has added repeats the trap until it is repressed. Another manager may have been
/// isolated when this manager became master.
TrapReaction Traps::on_unknown_sender(const Notice& notice, Lid from, bool sweeping) {
  const std::string what = describe(notice, from);
  const TrapEffect effect = effect_of(notice);
  const bool may_be_new = sweeping && effect == TrapEffect::kSweepAtOnce;
  const bool may_be_manager = effect == TrapEffect::kQueryManagers;
  if (!may_be_new && !may_be_manager) {
    reject(kLidNone, what, "comes from a LID that is not assigned");
    return {};
  }
  if (may_be_manager && may_log(kLidNone)) log::info("Received {}, which is not assigned", what);
  if (!sm_.options.sweep_on_trap) return {};
  const TimeNs now = sm_.now();
  const TimeNs at = limits_.sweep_time(kLidNone, now);
  return {effect, what, from, at > now ? at : TimeNs(0)};
}

/// Above the limits, a trap has no effect now; the changes that it may announce are read later.
/// Otherwise only a read or a heavy sweep waits, until the sender may cause the next one.
TrapReaction Traps::limited(const TrapReaction& reaction, Lid sender, bool over_limit) {
  const TimeNs now = sm_.now();
  const TimeNs later = now + TrapLedger::kForgottenAfter;
  TrapReaction result = reaction;
  switch (reaction.effect) {
    case TrapEffect::kNone:
      break;
    case TrapEffect::kLightSweep:  // light sweeps run periodically in any case
      if (over_limit) result.effect = TrapEffect::kNone;
      break;
    case TrapEffect::kReadVports:
    case TrapEffect::kReadVportDetails:
    case TrapEffect::kReadVportDetailsAndHierarchy:
      // Such a read needs few SMPs, and simultaneous requests are combined.
      if (over_limit) result.at = now + TrapLimits::kVportInterval;
      break;
    case TrapEffect::kReadName:
    case TrapEffect::kReadCapabilities:
    case TrapEffect::kReadReasons:
      if (over_limit) {
        result.at = later;
      } else if (const TimeNs at = limits_.read_time(sender, now); at > now) {
        result.at = at;
      }
      break;
    case TrapEffect::kSweepAtOnce:
      if (over_limit) result.at = later;
      break;
    case TrapEffect::kHeavyAtNextLightSweep:
    case TrapEffect::kQueryManagers:
      if (over_limit) {
        result.at = std::max(later, now + TrapLimits::kSweepInterval);
      } else if (const TimeNs at = limits_.sweep_time(sender, now); at > now) {
        result.at = at;
      }
      break;
  }
  return result;
}

TrapReaction Traps::on_trap(const Smp& trap, bool sweeping) {
  if (sm_.state != SmState::kMaster && sm_.state != SmState::kDiscovering) return {};
  const Notice notice = *decode_notice(trap.data);
  const EndportId sender = sm_.memory.endport_with(trap.slid);
  if (sender == kNoEndport) return on_unknown_sender(notice, trap.slid, sweeping);
  repress(trap, sender);
  note_trap_for_health(sm_, sender);
  const Fabric& fabric = *sm_.memory.active_fabric();
  const Lid base = fabric.endport(sender).lid;
  const std::string objection = objection_to(notice, fabric, sender);
  if (!objection.empty()) {
    reject(base, describe_trap(notice, trap.slid), objection);
    return {};
  }
  const unsigned count = ledger_.count(notice, base, sm_.now());
  const bool over_limit = count > TrapLedger::kHandledMax || !limits_.may_handle(base, sm_.now());
  const bool is_babbling = sm_.options.babbling_port_policy && is_about_errors(notice) &&
                           count % TrapLedger::kBabblingFrom == 0;
  const std::string what =
      over_limit && !is_babbling ? std::string() : describe_trap(notice, trap.slid);
  if (!over_limit) record(notice, trap.slid, base, what);
  if (count == TrapLedger::kHandledMax && !over_limit && may_log(base))
    log::warn("{} of {} in a row: further equal traps are ignored", count, what);
  if (is_babbling) plan_disabling(decode_trap_port_error(notice.details), sender, what);
  if (!sm_.options.sweep_on_trap) return {};
  return limited({effect_of(notice), what, trap.slid}, base, over_limit);
}

// ---- Babbling ports

/// Disables the switch-side port, so that the manager can enable it again. Never disables the port
/// cabled to the manager.
void Traps::plan_disabling(const TrapPortError& error, EndportId sender, const std::string& what) {
  const EndportId holder = error.lid == kLidNone ? sender : sm_.memory.endport_with(error.lid);
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
  switch_port({near, fabric.port(port).num}, false);
}

bool Traps::begin_switching() {
  while (!orders_.empty()) {
    const Order order = orders_.front();
    orders_.pop_front();
    if (begin_switching(order)) return true;
  }
  return false;
}

bool Traps::begin_switching(const Order& order) {
  const Observed& observed = *sm_.memory.observed;
  const auto node = observed.fabric.find_node(order.end.guid);
  if (!node) return false;
  const ObservedNode& seen = observed.nodes[node->value()];
  if (order.end.port.value() >= seen.ports.size()) return false;
  PortInfo info = seen.ports[order.end.port.value()];
  info.state = PortState::kNoChange;
  info.phys_state = order.enable ? PhysState::kPolling : PhysState::kDisabled;
  Smp request = directed_request(Method::kSet, AttributeId::kPortInfo,
                                 seen.port_info_modifier(order.end.port), seen.path());
  request.data = encode(info);
  port_set_ = std::make_unique<OneSmp>(request);
  order_ = order;
  return true;
}

void Traps::step(TimeNs deadline) {
  if (sm_.client.step(*port_set_, deadline)) return;
  const auto port_set = std::move(port_set_);
  if (!port_set->answer())
    return log::error("cannot {} node 0x{:016x} port {}: {}", order_.enable ? "enable" : "disable",
                      order_.end.guid.value(), order_.end.port.value(), port_set->failure());
  sm_.request_heavy_sweep(order_.enable ? "a port was enabled" : "a port was disabled");
}

}  // namespace weft
