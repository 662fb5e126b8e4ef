// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/election/standby.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sm/traps/responder.h"

namespace weft {
namespace {

constexpr TimeNs kTrapIntervalMax = std::chrono::minutes(2);

}  // namespace

void Standby::follow(const OtherManager& other) {
  const bool another = !polled_manager_ || polled_manager_->info.guid != other.info.guid;
  polled_manager_ = other;
  polls_missed_ = 0;
  alive_at_ = sm_.now();
  if (another) make_trap_due();
  next_poll_ = sm_.now() + sm_.options.sminfo_polling_timeout;
  log::info("standby: {} with priority {} is {}", other.name, other.info.priority,
            other.info.state == SmState::kMaster ? "master" : "of higher rank");
  send_trap_if_due();
}

Smp Standby::begin_poll() {
  polled_at_ = sm_.now();
  is_query_ = std::exchange(is_query_due_, false) && polled_at_ < next_poll_;
  if (!is_query_) next_poll_ = polled_at_ + sm_.options.sminfo_polling_timeout;
  return polled_manager_->request;
}

void Standby::on_alive(const SmInfo& info) {
  polled_manager_->info = info;
  polls_missed_ = 0;
  alive_at_ = std::max(alive_at_, polled_at_);
}

bool Standby::on_missed_poll(std::string_view why) {
  if (is_query_) return false;
  ++polls_missed_;
  log::debug("poll of {} failed {} times in a row, limit {}: {}", polled_manager_->name,
             polls_missed_, sm_.options.polling_retry_number, why);
  return polls_missed_ >= sm_.options.polling_retry_number;
}

void Standby::make_trap_due() {
  next_trap_ = sm_.now();
  trap_interval_ = sm_.options.sminfo_polling_timeout;
}

void Standby::send_trap_if_due() {
  if (polled_manager_->info.state != SmState::kMaster || sm_.now() < next_trap_ ||
      sm_.handover_requested)
    return;
  if (polled_manager_->info.priority >= sm_.options.sm_priority ||
      !send_priority_trap(sm_, *polled_manager_))
    return;
  next_trap_ = sm_.now() + trap_interval_;
  trap_interval_ = std::min<TimeNs>(trap_interval_ * 2, kTrapIntervalMax);
}

bool send_priority_trap(SmContext& sm, const OtherManager& master) {
  if (sm.memory.own_lid() == kLidNone || master.lid == kLidNone) return false;
  const Observed& observed = *sm.memory.observed;
  const ObservedNode& self = observed.nodes[observed.self.value()];
  // The own port in the plane of the master.
  const std::uint8_t port = departure_port(master.request);
  const Lid in_plane = port < self.ports.size() ? self.ports[port].lid : kLidNone;
  const Lid own = in_plane == kLidNone ? sm.memory.own_lid() : in_plane;
  Smp trap = priority_trap(own, master.lid, self.info.type);
  trap.port = port;
  const auto sent = sm.client.send(trap);
  if (!sent)
    log::warn("cannot send trap 144 to LID {}: {}", master.lid.value(), sent.error().message);
  return true;
}

}  // namespace weft
