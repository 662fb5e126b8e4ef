// Work between heavy sweeps: light sweeps and traps.
#include <algorithm>

#include "base/log.h"
#include "sm/subnet_manager.h"

namespace weft {

void SubnetManager::watch(TimeNs deadline) {
  if (!role_.own_guid && clock_.now() >= role_.introduce_at) return begin_introduction();
  if (role_.state == SmState::kNotActive) return client_.wait(deadline);
  if (role_.state == SmState::kStandby) return stand_by(deadline);
  if (role_.owed) return begin_acknowledgement();
  if (!sweeping_) return client_.wait(deadline);
  if (heavy_reason_) return begin_sweep();
  while (!babbling_ports_.empty())
    if (begin_disabling_port()) return;
  if (clock_.now() >= trap_storm_ends_) {
    trap_storm_ends_ = TimeNs::max();
    return request_heavy_sweep("changes during a trap storm");
  }
  if (!changed_switches_.empty()) return begin_incremental_sweep();
  if (clock_.now() >= retry_at_) return request_heavy_sweep("the last sweep failed");
  if (clock_.now() >= keys_again_at_) return try_keys_again();
  if (clock_.now() >= regroup_at_) return begin_regrouping();
  const bool light = options_.sweep_interval.count() > 0;
  if (light && clock_.now() >= next_light_) return begin_light_sweep();
  deadline = std::min({deadline, retry_at_, trap_storm_ends_, keys_again_at_, regroup_at_});
  client_.wait(light ? std::min(deadline, next_light_) : deadline);
}

void SubnetManager::begin_light_sweep() {
  next_light_ = clock_.now() + options_.sweep_interval;
  if (options_.force_heavy_sweep) return request_heavy_sweep("force_heavy_sweep");
  if (heavy_in_time_) return request_heavy_sweep(*heavy_in_time_);
  if (client_.counts().doubtful_sets() != doubts_settled_) {
    doubts_settled_ = client_.counts().doubtful_sets();
    return request_full_look("late Sets may have overwritten newer ones");
  }
  if (!observed_) return;  // nothing discovered yet: retry_at_ applies
  ++light_sweeps_;
  light_ = std::make_unique<LightSweep>(*observed_, Mkey(0));
  light_->use_pauses(retry_pauses_, clock_.now());
  stage_ = Stage::kLightSweep;
}

void SubnetManager::finish_light_sweep() {
  stage_ = Stage::kWatching;
  const auto light = std::move(light_);
  if (light->change().empty()) return requery_managers();
  for (const std::string& name : light->answering())
    retry_pauses_.answered(name, clock_.now(), options_.sweep_interval);
  // A node that does not answer may be behind a link that other switches report.
  if (light->changed_switches().empty()) return request_heavy_sweep(light->change());
  on_port_change(light->change(),
                 observed_->fabric.node(light->changed_switches().front()).node_guid);
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

}  // namespace weft
