// What agents tell the SubnetManager unasked, and what it does about it: sweeps, and a port
// that is switched off because it never stops.
#include <algorithm>

#include "base/log.h"
#include "ib/modifiers.h"
#include "sm/directed.h"
#include "sm/subnet_manager.h"

namespace weft {

bool SubnetManager::is_own_lid(Lid lid) const {
  if (!observed_ || observed_->self_endport == kNoEndport) return false;
  const PortInfo& own =
      observed_->nodes[observed_->self.value()].ports[observed_->self_port.value()];
  return own.lid != kLidNone && lid.value() >> own.lmc == own.lid.value() >> own.lmc;
}

/// The fabric as it was last programmed, or else as it was found.
const Fabric* SubnetManager::fabric_in_force() const {
  if (snapshot_) return &snapshot_->fabric;
  return observed_ ? &observed_->fabric : nullptr;
}

EndportId SubnetManager::holder_of(Lid lid) const {
  const Fabric* fabric = fabric_in_force();
  return fabric == nullptr ? kNoEndport : fabric->endport_of(lid);
}

/// Who sends traps listens only to those who know its M_Key.
Mkey SubnetManager::key_of(Lid lid) const {
  const EndportId sender = holder_of(lid);
  if (sender == kNoEndport) return options_.m_key;
  return keys_.of(fabric_in_force()->port(fabric_in_force()->endport(sender).port).guid);
}

/// With the name of the sender where it is known.
std::string SubnetManager::tell(const Notice& notice, Lid from) const {
  const EndportId sender = holder_of(from);
  std::string text = describe(notice, from);
  if (sender != kNoEndport)
    text += ", " + describe(*fabric_in_force(), fabric_in_force()->endport(sender).port);
  if (is_about_errors(notice))
    text += fmt::format(" about its port {}", decode_trap_port_error(notice.details).port.value());
  return text;
}

void SubnetManager::on_trap(const Smp& trap) {
  if (role_.state != SmState::kMaster && role_.state != SmState::kDiscovering) return;
  if (can_repress(trap)) {
    Smp answer = answer_to(trap, Method::kTrapRepress);
    answer.mkey = key_of(trap.slid);
    const auto sent = client_.send(answer);
    if (!sent) log::warn("TrapRepress to LID {}: {}", trap.slid.value(), sent.error().message);
  }
  const Notice notice = *decode_notice(trap.data);
  const std::string what = tell(notice, trap.slid);
  const unsigned count = trap_ledger_.count(notice, trap.slid, clock_.now());
  if (count <= TrapLedger::kHeededMax) {
    log::info("Received {}", what);
    occurrences_.add(TrapReceived{trap.slid, notice.trap, what});
    if (traps_.size() < kTrapsMax) {
      traps_.push_back(notice);
      if (notice.issuer_lid == kLidNone) traps_.back().issuer_lid = trap.slid;
    }
  }
  if (count == TrapLedger::kHeededMax)
    log::warn("{} of {} in a row: the next are not heeded", count, what);
  if (options_.babbling_port_policy && is_about_errors(notice) &&
      count % TrapLedger::kBabblesFrom == 0)
    silence_babbler(decode_trap_port_error(notice.details), what);
  if (!options_.sweep_on_trap) return;
  const TrapEffect effect = effect_of(notice);
  if (count > TrapLedger::kHeededMax && effect != TrapEffect::kNone) {
    calm_at_ = std::min(calm_at_, clock_.now() + TrapLedger::kForgottenAfter);
    return;
  }
  act_on(effect, what, trap.slid);
}

void SubnetManager::act_on(TrapEffect effect, const std::string& what, Lid from) {
  const bool own = is_own_lid(from);  // about the manager's own port
  switch (effect) {
    case TrapEffect::kNone:
      return;
    case TrapEffect::kReadName:
    case TrapEffect::kReadCapabilities: {
      const EndportId sender = holder_of(from);
      if (sender == kNoEndport) return act_on(TrapEffect::kSweepInTime, what, from);
      const Fabric& fabric = *fabric_in_force();
      if (effect == TrapEffect::kReadName)
        local_changes_.names.insert(fabric.node(fabric.endport(sender).node).node_guid);
      else
        local_changes_.capabilities.insert(fabric.port(fabric.endport(sender).port).guid);
      return regroup_soon();
    }
    case TrapEffect::kLightSweep:
      return request_light_sweep();
    case TrapEffect::kSweepInTime:
      if (!own) heavy_in_time_ = what;
      return;
    case TrapEffect::kAskManagers:
      if (own || !observed_) return;
      if (stage_ == Stage::kDiscovering) {
        heavy_in_time_ = what;
      } else {
        request_heavy_sweep(what);
      }
      return;
    case TrapEffect::kSweepAtOnce:
      return on_port_change(what, switch_at(from));
  }
}

std::optional<Guid> SubnetManager::switch_at(Lid lid) const {
  const EndportId holder = holder_of(lid);
  if (holder == kNoEndport) return std::nullopt;
  const NodeId node = fabric_in_force()->endport(holder).node;
  if (!fabric_in_force()->is_switch(node)) return std::nullopt;
  return fabric_in_force()->node(node).node_guid;
}

// ---- Babbling ports

/// Switched off is the switch's end of the cable, so that it can be switched on again from outside;
/// never the one that the manager itself hangs on.
void SubnetManager::silence_babbler(const TrapPortError& error, const std::string& what) {
  const EndportId holder = holder_of(error.lid);
  if (holder == kNoEndport || !observed_) return;
  const Fabric& fabric = *fabric_in_force();
  const Endport& endport = fabric.endport(holder);
  const PortId port = fabric.is_switch(endport.node) ? fabric.port_id(endport.node, error.port)
                                                     : fabric.port(endport.port).peer;
  if (port == kNoPort || error.port == PortNum(0) || fabric.port(port).peer == kNoPort) return;
  const Guid own = observed_->fabric.node(observed_->self).node_guid;
  const Guid near = fabric.node(fabric.port(port).node).node_guid;
  const Guid far = fabric.node(fabric.port(fabric.port(port).peer).node).node_guid;
  if (far == own || (near == own && !fabric.is_switch(endport.node)))
    return log::error("{}: the manager's own port is not disabled", what);
  if (!fabric.is_switch(fabric.port(port).node)) return;
  log::error("Disabling {}: {} times {}", describe(fabric, port), TrapLedger::kBabblesFrom, what);
  babblers_.push_back({near, fabric.port(port).num});
}

bool SubnetManager::begin_silencing() {
  const CableEnd end = babblers_.back();
  babblers_.pop_back();
  const auto node = observed_->fabric.find_node(end.guid);
  if (!node) return false;
  const ObservedNode& seen = observed_->nodes[node->value()];
  PortInfo info = seen.ports[end.port.value()];
  info.state = PortState::kNoChange;
  info.phys_state = PhysState::kDisabled;
  Smp request = directed_request(Method::kSet, AttributeId::kPortInfo,
                                 seen.port_info_modifier(end.port), seen.path(), Mkey(0));
  request.data = encode(info);
  role_.talk = std::make_unique<OneSmp>(request);
  stage_ = Stage::kSilencing;
  return true;
}

void SubnetManager::finish_silencing() {
  stage_ = Stage::kWatching;
  const auto talk = std::move(role_.talk);
  if (!talk->answer()) return log::error("the babbling port {}", talk->failure());
  request_heavy_sweep("a babbling port was disabled");
}

}  // namespace weft
