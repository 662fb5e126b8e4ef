// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/load_aware/load_aware_routing.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft {

void LoadAwareRouting::take(const CounterStore& store, const Snapshot& snapshot, TimeNs now) {
  const std::lock_guard lock(mutex_);
  window_.take(store, snapshot, now);
}

void LoadAwareRouting::step(SubnetManager& sm, TimeNs now) {
  const LoadAwareOptions& options = sm.options().load_aware;
  if (!options.enabled || sm.state() != SmState::kMaster) {
    if (due_) {
      const std::lock_guard lock(mutex_);
      window_.restart();
    }
    due_.reset();
    return;
  }
  due_ = std::min(due_.value_or(now + options.interval), now + TimeNs(options.interval));
  if (trial_.valid()) {
    if (!sm.at_rest() || trial_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return;
    if (sm.take_load_trial(trial_.get())) due_ = now + options.interval;
    return;
  }
  if (now < *due_ || !sm.at_rest()) return;
  due_ = now + options.interval;
  begin_trial(sm);
}

void LoadAwareRouting::begin_trial(const SubnetManager& sm) {
  auto snapshot = sm.snapshot();
  std::optional<HostTraffic> traffic;
  {
    const std::lock_guard lock(mutex_);
    traffic = window_.traffic(snapshot->fabric);
    if (!traffic) return;  // fewer than two readings: the measurement continues
    window_.restart();
  }
  trial_ = std::async(
      own_thread_ ? std::launch::async : std::launch::deferred,
      [snapshot = std::move(snapshot), options = sm.options(), traffic = std::move(*traffic)] {
        return try_measured_weights(snapshot, options, traffic);
      });
  if (!own_thread_) trial_.wait();
}

}  // namespace weft
