// Administrator requests to a running SubnetManager: sweeps, rerouting, priority, resignation.
#include <algorithm>

#include "base/log.h"
#include "sm/subnet_manager.h"

namespace weft {

void SubnetManager::request_light_sweep() {
  if (role_.state == SmState::kMaster && !stopped()) next_light_ = clock_.now();
}

void SubnetManager::request_reroute() {
  routing_changed_ = true;
  request_heavy_sweep("reroute");
}

void SubnetManager::set_sweeping(bool on) {
  if (sweeping_ == on) return;
  log::info("Sweeping is {}", on ? "on" : "off: changes of the fabric are ignored");
  sweeping_ = on;
}

void SubnetManager::set_priority(std::uint8_t priority) {
  if (options_.sm_priority == priority) return;
  log::info("Priority {}, was {}", priority, options_.sm_priority);
  options_.sm_priority = priority;
  priority_changed();
}

/// A resigning master hands over, so that the standby need not wait until polls fail. All managers
/// are queried first.
void SubnetManager::resign() {
  if (stopped() || resigning_) return;
  const bool alone = options_.ignore_other_sm || role_.others.empty();
  if (role_.state != SmState::kMaster || alone) return stop();
  client_.wind_up(clock_.now() + options_.transaction_timeout);
  applying_.reset();
  ar_reading_.reset();
  ar_programming_.reset();
  lane_reading_.reset();
  pkey_reading_.reset();
  role_.successor.reset();
  resigning_ = true;
  role_.inquiry = std::make_unique<ManagerInquiry>(role_.others);
  stage_ = Stage::kRequeryingManagers;
}

void SubnetManager::collect_successors() {
  for (const OtherManager& other : role_.inquiry->found())
    if (is_trusted(other.info) && other.info.state == SmState::kStandby)
      successors_.push_back(other);
  role_.inquiry.reset();
  std::ranges::sort(successors_, [](const OtherManager& a, const OtherManager& b) {
    return outranks(contender(b), contender(a));  // the best last
  });
  hand_over_to_next_successor();
}

void SubnetManager::hand_over_to_next_successor() {
  if (successors_.empty()) {
    log::info("no standby takes over");
    return stop();
  }
  const OtherManager heir = successors_.back();
  successors_.pop_back();
  begin_handover(heir);
}

}  // namespace weft
