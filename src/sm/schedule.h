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

/// Pause after a failed sweep or update. A device that always refuses Sets must not cause
/// continuous sweeps: the pause doubles, up to 32 times the first pause, while all failures are
/// refusals and ApplyReport::failures equal those of the previous failed sweep or update. A
/// successful sweep or update in between does not reset the pause.
class FailurePause {
 public:
  /// Returns the pause. `interval`: time between light sweeps; 0: no light sweeps.
  TimeNs next_pause(const ApplyReport& applied, TimeNs interval) {
    const bool same = applied.failed > 0 && applied.failed == applied.refused &&
                      applied.failures == last_failures_;
    last_failures_ = applied.failures;
    doublings_ = same ? std::min(doublings_ + 1, RetryPauses::kDoublingsMax) : 0;
    return (interval.count() > 0 ? interval : kRetryAfter) * (1 << doublings_);
  }

 private:
  unsigned doublings_ = 0;                  // exponent of the pause
  std::vector<std::string> last_failures_;  // of the last failed sweep or update
};

struct Schedule {
  bool sweeping = true;  // false: no sweeps; requests are kept
  // Heavy sweeps
  std::optional<std::string> heavy_reason = "first sweep";
  std::optional<std::string>
      heavy_at_next_light;  // reason of a heavy sweep in place of the next light sweep
  /// Heavy sweep after a failed sweep or update, or after links were taken down to retrain.
  TimeNs retry_at = TimeNs::max();
  FailurePause failure_pause;
  TimeNs deferred_sweep_at = TimeNs::max();  // heavy sweep for traps above a limit
  /// Limits the sweeps that traps 128 begin: 20 sweeps without a pause, then one sweep each second.
  TokenBucket trap_sweeps{20, std::chrono::seconds(1)};
  DoubtfulSets doubtful_sets;
  // Sweeps with incremental discovery
  /// Switches that reported changes. Not empty: an incremental sweep is due, unless heavy_reason is
  /// set.
  std::set<Guid> changed_switches;
  std::string change;  // description of the first change
  // Light sweeps
  TimeNs next_light{0};
  unsigned light_in_a_row = 0;              // number of light sweeps since the last heavy sweep
  TimeNs vports_expire_at = TimeNs::max();  // end of the first grace period of a vport GUID

  void defer_sweep(TimeNs at) { deferred_sweep_at = std::min(deferred_sweep_at, at); }
  /// To be called when a full discovery begins, which reads the changes reported so far. Not for
  /// incremental discovery.
  void begin_discovery() {
    heavy_reason.reset();
    heavy_at_next_light.reset();
    changed_switches.clear();
    deferred_sweep_at = TimeNs::max();
  }
  /// To be called when the manager enters a state other than MASTER.
  void lose_mastership() {
    heavy_reason.reset();
    heavy_at_next_light.reset();
    retry_at = TimeNs::max();
    deferred_sweep_at = TimeNs::max();
  }
};

}  // namespace weft
