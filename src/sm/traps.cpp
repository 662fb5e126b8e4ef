// Handling of traps: sweeps, and disabling of babbling ports.
#include <algorithm>

#include "base/log.h"
#include "ib/modifiers.h"
#include "sm/discovery/directed.h"
#include "sm/subnet_manager.h"

namespace weft {

bool SubnetManager::is_own_lid(Lid lid) const {
  if (!observed_ || observed_->self_endport == kNoEndport) return false;
  const PortInfo& own =
      observed_->nodes[observed_->self.value()].ports[observed_->self_port.value()];
  return own.lid != kLidNone && lid.value() >> own.lmc == own.lid.value() >> own.lmc;
}

/// The fabric as last programmed, else as discovered.
const Fabric* SubnetManager::active_fabric() const {
  if (snapshot_) return &snapshot_->fabric;
  return observed_ ? &observed_->fabric : nullptr;
}

EndportId SubnetManager::holder_of(Lid lid) const {
  const Fabric* fabric = active_fabric();
  return fabric == nullptr ? kNoEndport : fabric->endport_of(lid);
}

/// TrapRepress needs the M_Key of the sender.
Mkey SubnetManager::key_of(Lid lid) const {
  const EndportId sender = holder_of(lid);
  if (sender == kNoEndport) return options_.m_key;
  return keys_.of(active_fabric()->port(active_fabric()->endport(sender).port).guid);
}

/// With the name of the sender if it is known.
std::string SubnetManager::describe_trap(const Notice& notice, Lid from) const {
  const EndportId sender = holder_of(from);
  std::string text = describe(notice, from);
  if (sender != kNoEndport)
    text += ", " + describe(*active_fabric(), active_fabric()->endport(sender).port);
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
  const std::string what = describe_trap(notice, trap.slid);
  const unsigned count = trap_ledger_.count(notice, trap.slid, clock_.now());
  if (count <= TrapLedger::kHandledMax) {
    log::info("Received {}", what);
    occurrences_.add(TrapReceived{trap.slid, notice.trap, what});
    if (traps_.size() < kTrapsMax) {
      traps_.push_back(notice);
      if (notice.issuer_lid == kLidNone) traps_.back().issuer_lid = trap.slid;
    }
  }
  if (count == TrapLedger::kHandledMax)
    log::warn("{} of {} in a row: further ones are ignored", count, what);
  if (options_.babbling_port_policy && is_about_errors(notice) &&
      count % TrapLedger::kBabblingFrom == 0)
    disable_babbling_port(decode_trap_port_error(notice.details), what);
  if (!options_.sweep_on_trap) return;
  const TrapEffect effect = effect_of(notice);
  if (count > TrapLedger::kHandledMax && effect != TrapEffect::kNone) {
    trap_storm_ends_ = std::min(trap_storm_ends_, clock_.now() + TrapLedger::kForgottenAfter);
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
      const Fabric& fabric = *active_fabric();
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
  const NodeId node = active_fabric()->endport(holder).node;
  if (!active_fabric()->is_switch(node)) return std::nullopt;
  return active_fabric()->node(node).node_guid;
}

// ---- Babbling ports

/// Disables the switch-side port, so that it can be enabled again remotely; never the one cabled to
/// the manager.
void SubnetManager::disable_babbling_port(const TrapPortError& error, const std::string& what) {
  const EndportId holder = holder_of(error.lid);
  if (holder == kNoEndport || !observed_) return;
  const Fabric& fabric = *active_fabric();
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
  log::error("Disabling {}: {} times {}", describe(fabric, port), TrapLedger::kBabblingFrom, what);
  babbling_ports_.push_back({near, fabric.port(port).num});
}

bool SubnetManager::begin_disabling_port() {
  const CableEnd end = babbling_ports_.back();
  babbling_ports_.pop_back();
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
  stage_ = Stage::kDisablingPort;
  return true;
}

void SubnetManager::finish_disabling_port() {
  stage_ = Stage::kWatching;
  const auto talk = std::move(role_.talk);
  if (!talk->answer()) return log::error("cannot disable the babbling port {}", talk->failure());
  request_heavy_sweep("a babbling port was disabled");
}

}  // namespace weft
