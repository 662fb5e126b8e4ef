// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/load/load_decision.h"

#include "base/log.h"
#include "sm/context.h"

namespace weft {

void recall_weights(SmContext& sm) {
  auto& weights = sm.options.routing.measured_weights;
  weights.clear();
  if (!sm.options.load_aware.enabled) return;
  std::vector<std::string> warnings;
  weights = sm.memory.weights.recall(sm.options.cache_dir, warnings);
  for (const std::string& warning : warnings) sm.warn(warning);
}

bool decide(SmContext& sm, const LoadTrial& trial, LoadAwareCounts& counts) {
  const Snapshot& active = *sm.memory.snapshot;
  if (!are_equal_for_routing(trial.snapshot->fabric, active.fabric) ||
      trial.snapshot->routes.lfts != active.routes.lfts) {
    log::info("load-aware routing: trial discarded: the routes changed meanwhile");
    return false;
  }
  ++counts.trials;
  if (!trial.status) {
    log::warn("load-aware routing: no routes for the measured traffic: {}",
              trial.status.error().message);
    return false;
  }
  counts.gain = trial.gain();
  const unsigned threshold = sm.options.load_aware.threshold;
  if (counts.gain < threshold) {
    log::info("load-aware routing: {}: expected at least {}%, routes kept", trial.describe(),
              threshold);
    return false;
  }
  ++counts.changes;
  log::info("load-aware routing: {}: routes changed", trial.describe());
  sm.occurrences.add(RoutesRebalanced{trial.describe()});
  for (const std::string& warning : sm.memory.weights.replace(sm.options.cache_dir, trial.weights))
    log::warn("{}", warning);
  sm.memory.routing_changed = true;
  sm.request_heavy_sweep("load-aware routing");
  return true;
}

}  // namespace weft
