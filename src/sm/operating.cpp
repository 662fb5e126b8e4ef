// What an administrator asks of a running SubnetManager: sweeps, routes, priority, and to leave.
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
  log::info("Sweeping is {}", on ? "on" : "off: changes of the fabric are not acted upon");
  sweeping_ = on;
}

void SubnetManager::set_priority(std::uint8_t priority) {
  if (options_.sm_priority == priority) return;
  log::info("Priority {}, was {}", priority, options_.sm_priority);
  options_.sm_priority = priority;
  priority_changed();
}

/// A master that leaves names its heir, so that the fabric need not wait until polls fail. Who is
/// there and alive is asked once more.
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
  stage_ = Stage::kAskingAgain;
}

void SubnetManager::choose_heirs() {
  for (const OtherManager& other : role_.inquiry->found())
    if (is_trusted(other.info) && other.info.state == SmState::kStandby) heirs_.push_back(other);
  role_.inquiry.reset();
  std::ranges::sort(heirs_, [](const OtherManager& a, const OtherManager& b) {
    return outranks(contender(b), contender(a));  // the best at the end
  });
  hand_to_next_heir();
}

void SubnetManager::hand_to_next_heir() {
  if (heirs_.empty()) {
    log::info("nobody takes over");
    return stop();
  }
  const OtherManager heir = heirs_.back();
  heirs_.pop_back();
  begin_handover(heir);
}

}  // namespace weft
