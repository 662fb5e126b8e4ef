// What the subnet manager does between heavy sweeps: light sweeps and traps.
#include "base/log.h"
#include "sm/subnet_manager.h"

namespace weft {

void SubnetManager::watch(TimeNs deadline) {
  if (!role_.own_guid && clock_.now() >= role_.introduce_at) return begin_introduction();
  if (role_.state == SmState::kNotActive) return client_.wait(deadline);
  if (role_.state == SmState::kStandby) return stand_by(deadline);
  if (role_.owed) return begin_acknowledgement();
  if (heavy_wanted_) return begin_sweep();
  if (clock_.now() >= retry_at_) return request_heavy_sweep("the last one failed");
  const bool light = options_.sweep_interval.count() > 0;
  if (light && clock_.now() >= next_light_) return begin_light_sweep();
  deadline = std::min(deadline, retry_at_);
  client_.wait(light ? std::min(deadline, next_light_) : deadline);
}

void SubnetManager::begin_light_sweep() {
  next_light_ = clock_.now() + options_.sweep_interval;
  if (options_.force_heavy_sweep) return request_heavy_sweep("force_heavy_sweep");
  if (heavy_in_time_) return request_heavy_sweep(*heavy_in_time_);
  if (client_.counts().doubtful_sets() != doubts_settled_) {
    doubts_settled_ = client_.counts().doubtful_sets();
    held_.forget_all();
    return request_heavy_sweep("settings that were late may have undone newer ones");
  }
  if (!observed_) return;  // nothing was ever found: retry_at_ is what counts
  light_ = std::make_unique<LightSweep>(*observed_, Mkey(0));
  stage_ = Stage::kLightSweep;
}

void SubnetManager::finish_light_sweep() {
  stage_ = Stage::kWatching;
  const std::string change = light_->change();
  light_.reset();
  if (change.empty()) return ask_others_again();
  request_heavy_sweep(change);
}

void SubnetManager::answer_unsolicited() {
  while (const auto smp = client_.take_unsolicited()) {
    if (smp->method == Method::kTrap && smp->attribute == AttributeId::kNotice) {
      on_trap(*smp);
    } else if (smp->method == Method::kGet || smp->method == Method::kSet) {
      on_sm_request(*smp);
    }
  }
}

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

/// Who sends traps listens only to those who know its M_Key.
Mkey SubnetManager::key_of(Lid lid) const {
  const Fabric* fabric = fabric_in_force();
  const EndportId sender = fabric == nullptr ? kNoEndport : fabric->endport_of(lid);
  if (sender == kNoEndport) return options_.m_key;
  return keys_.of(fabric->port(fabric->endport(sender).port).guid);
}

void SubnetManager::on_trap(const Smp& trap) {
  if (role_.state != SmState::kMaster && role_.state != SmState::kDiscovering) return;
  if (can_repress(trap)) {
    Smp answer = answer_to(trap, Method::kTrapRepress);
    answer.mkey = key_of(trap.slid);
    const auto sent = client_.send(answer);
    if (!sent) spdlog::warn("TrapRepress to LID {}: {}", trap.slid.value(), sent.error().message);
  }
  const Notice notice = *decode_notice(trap.data);
  const std::string what = describe(notice, trap.slid);
  spdlog::info("Received {}", what);
  if (!options_.sweep_on_trap) return;
  act_on(effect_of(notice), what, is_own_lid(trap.slid));
}

/// `own`: the trap is about the manager's own port.
void SubnetManager::act_on(TrapEffect effect, const std::string& what, bool own) {
  switch (effect) {
    case TrapEffect::kNone:
      return;
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
      if (stage_ == Stage::kDiscovering) {
        changed_meanwhile_ = true;
      } else {
        request_heavy_sweep(what);
      }
      return;
  }
}

}  // namespace weft
