// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Load-aware routing: every interval the traffic since then is measured, and routes for it are
// tried beside the manager, which decides (SubnetManager::take_load_trial).
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
  /// `own_thread`: trials run on a thread of their own, not in step().
  explicit LoadAwareRouting(bool own_thread) : own_thread_(own_thread) {}

  /// The end of a reading of the counters; any thread.
  void take(const CounterStore& store, const Snapshot& snapshot, TimeNs now);
  /// After each step of the manager, on its thread; `now` is by the same clock.
  void step(SubnetManager& sm, TimeNs now);

 private:
  void begin_trial(const SubnetManager& sm);

  const bool own_thread_;
  std::optional<TimeNs> due_;  // of the next trial; none: switched off, or not master
  std::future<LoadTrial> trial_;

  std::mutex mutex_;
  TrafficWindow window_;
};

}  // namespace weft
