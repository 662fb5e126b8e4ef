// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/sm_tally.h"

namespace weft {

void SmTallyCollector::update(const SubnetManager& sm) {
  tally_.light = sm.light_sweeps();
  tally_.load_aware = sm.load_aware_counts();
  if (sm.heavy_sweeps() != sweeps_) {
    sweeps_ = sm.heavy_sweeps();
    const SweepReport& report = sm.last_report();
    add(report.discovered_incrementally ? SmTally::kLocal : SmTally::kHeavy, report);
    if (!report.discovered_incrementally) {
      tally_.full = std::make_shared<const SweepReport>(report);
      tally_.full_number = sweeps_;
    }
  }
  if (sm.updates() != updates_) {
    updates_ = sm.updates();
    add(SmTally::kMulticast, sm.last_report());
  }
}

void SmTallyCollector::add(SmTally::Kind kind, const SweepReport& report) {
  ++tally_.sweeps[kind];
  tally_.seconds[kind].add(report.seconds.total);
  if (!report.up) ++tally_.failed;
  tally_.table_blocks_written += report.table_blocks_written();
  tally_.vports_appeared += report.vports.appeared;
  tally_.vports_gone += report.vports.gone;
  tally_.vports_moved += report.vports.moved;
  tally_.vport_failures += report.vports.failed;
  if (report.routes_reused || report.routes_remembered || kind == SmTally::kMulticast) return;
  ++tally_.route_runs;
  for (const EngineAttempt& attempt : report.engines_failed) ++tally_.fallbacks[attempt.engine];
}

}  // namespace weft
