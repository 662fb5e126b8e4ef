// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Load-aware routing: measures the traffic of each interval, and computes routes for this traffic
// in a trial. SubnetManager::take_load_trial() determines whether the routes are used.
#pragma once

#include <future>
#include <mutex>
#include <optional>

#include "gmp/traffic_window.h"
#include "sm/load/load_trial.h"
#include "sm/subnet_manager.h"

namespace weft {

class LoadAwareRouting {
 public:
  /// `own_thread`: trials run on a separate thread, not in step().
  explicit LoadAwareRouting(bool own_thread) : own_thread_(own_thread) {}

  /// Call after each reading of the counters, on any thread.
  void take(const CounterStore& store, const Snapshot& snapshot, TimeNs now);
  /// Call after each step of the manager, on its thread. `now` is a time of the clock of take().
  void step(SubnetManager& sm, TimeNs now);

 private:
  void begin_trial(const SubnetManager& sm);

  const bool own_thread_;
  std::optional<TimeNs> due_;  // time of the next trial; empty: disabled, or not master
  std::future<LoadTrial> trial_;

  std::mutex mutex_;
  TrafficWindow window_;
};

}  // namespace weft
