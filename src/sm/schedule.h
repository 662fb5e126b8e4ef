// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time of the next sweep, and the reason for it.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/token_bucket.h"
#include "ib/ids.h"
#include "sm/discovery/doubtful_sets.h"
#include "sm/programming/apply.h"
#include "sm/retry_pauses.h"

namespace weft {

inline constexpr TimeNs kRetryAfter = std::chrono::seconds(10);

/// Pause after a failed sweep. A device that always refuses Sets must not cause continuous sweeps:
/// as long as the same Sets are refused, and there is no other failure, the pause doubles each
/// time, up to 32 times the first pause.
class FailurePause {
 public:
  /// Returns the pause. `interval`: time between light sweeps; 0: no light sweeps.
  TimeNs next_pause(const ApplyReport& applied, TimeNs interval) {
    const bool same = applied.failed > 0 && applied.failed == applied.refused &&
                      applied.failures == refused_last_;
    refused_last_ = applied.failures;
    refused_in_a_row_ = same ? std::min(refused_in_a_row_ + 1, RetryPauses::kDoublingsMax) : 0;
    return (interval.count() > 0 ? interval : kRetryAfter) * (1 << refused_in_a_row_);
  }

 private:
  unsigned refused_in_a_row_ = 0;  // sweeps in which the same Sets were refused
  std::vector<std::string> refused_last_;
};

struct Schedule {
  bool sweeping = true;  // false: no sweeps; requests are kept
  // Heavy sweeps
  std::optional<std::string> heavy_reason = "first sweep";
  std::optional<std::string>
      heavy_at_next_light;          // reason of a heavy sweep in place of the next light sweep
  TimeNs retry_at = TimeNs::max();  // when to repeat a failed sweep
  FailurePause failure_pause;
  TimeNs trap_storm_ends = TimeNs::max();  // time of the sweep after a trap storm
  /// Limits the sweeps that traps 128 begin: 20 sweeps without a pause, then one sweep each second.
  TokenBucket trap_sweeps{20, std::chrono::seconds(1)};
  DoubtfulSets doubtful_sets;
  // Sweeps with incremental discovery
  std::set<Guid> changed_switches;  // not empty: only these switches have changed
  std::string change;               // description of the first change
  // Light sweeps
  TimeNs next_light{0};
  unsigned light_in_a_row = 0;              // number of light sweeps since the last heavy sweep
  TimeNs vports_expire_at = TimeNs::max();  // end of the first grace period of a vport GUID

  void defer_sweep(TimeNs at) { trap_storm_ends = std::min(trap_storm_ends, at); }
  /// To be called when a discovery begins, which reads the changes reported so far.
  void begin_discovery() {
    heavy_reason.reset();
    heavy_at_next_light.reset();
    changed_switches.clear();
    trap_storm_ends = TimeNs::max();
  }
  /// To be called when the manager is no longer master, so that it does not sweep.
  void lose_mastership() {
    heavy_reason.reset();
    heavy_at_next_light.reset();
    retry_at = TimeNs::max();
    trap_storm_ends = TimeNs::max();
  }
};

}  // namespace weft
