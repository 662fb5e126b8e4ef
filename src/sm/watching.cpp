// What the subnet manager does between heavy sweeps: light sweeps, traps, and questions of other
// managers.
#include "base/log.h"
#include "sm/responder.h"
#include "sm/subnet_manager.h"

namespace weft {

void SubnetManager::watch(TimeNs deadline) {
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
  if (!light_->change().empty()) request_heavy_sweep(light_->change());
  light_.reset();
  stage_ = Stage::kWatching;
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

void SubnetManager::on_trap(const Smp& trap) {
  if (can_repress(trap)) {
    const auto sent = client_.send(answer_to(trap, Method::kTrapRepress));
    if (!sent) spdlog::warn("TrapRepress to LID {}: {}", trap.slid.value(), sent.error().message);
  }
  const Notice notice = *decode_notice(trap.data);
  const std::string what = describe(notice, trap.slid);
  spdlog::info("Received {}", what);
  if (!options_.sweep_on_trap) return;
  const TrapEffect effect = effect_of(notice);
  if (effect == TrapEffect::kSweepInTime && !is_own_lid(trap.slid)) heavy_in_time_ = what;
  if (effect != TrapEffect::kSweepAtOnce) return;
  if (stage_ == Stage::kDiscovering) {
    changed_meanwhile_ = true;
  } else {
    request_heavy_sweep(what);
  }
}

void SubnetManager::on_sm_request(const Smp& request) {
  SmInfo self;
  if (observed_) {
    const ObservedNode& node = observed_->nodes[observed_->self.value()];
    self.guid =
        node.info.type == NodeType::kSwitch || observed_->self_endport == kNoEndport
            ? node.info.port_guid
            : observed_->fabric.port(observed_->fabric.endport(observed_->self_endport).port).guid;
  }
  self.activity_count = ++activity_count_;
  self.priority = options_.sm_priority;
  self.state = state();
  const auto sent = client_.send(answer_sm_request(request, self));
  if (!sent) spdlog::warn("answer to LID {}: {}", request.slid.value(), sent.error().message);
}

}  // namespace weft
