// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Detects late Sets, which may have overwritten newer Sets. The next sweep is then a heavy sweep
// that reads all tables. There are two indications: a Set that was sent more than once, and a stray
// answer (to a Set without an outstanding request). Any host can forge a stray answer, so the
// sweeps that stray answers cause are limited.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "sm/discovery/smp_client.h"

namespace weft {

class DoubtfulSets {
 public:
  /// The pause between sweeps caused by stray answers doubles up to 4 light-sweep intervals.
  static constexpr unsigned kDoublingsMax = 2;

  /// Whether there was an indication since the last settle().
  bool any(const SmpCounts& counts) const {
    return counts.retried_sets != retried_ || counts.stray_sets != strays_;
  }
  /// As any(), but false during the pause if stray answers are the only indication.
  bool are_due(const SmpCounts& counts, TimeNs now) const {
    return counts.retried_sets != retried_ || (counts.stray_sets != strays_ && now >= strays_due_);
  }
  /// Call when a sweep that reads all tables begins.
  void settle(const SmpCounts& counts) {
    retried_ = counts.retried_sets;
    strays_ = counts.stray_sets;
  }
  /// As settle(), for a sweep caused by stray answers.
  void settle_by_sweep(const SmpCounts& counts, TimeNs now, TimeNs interval) {
    if (counts.stray_sets != strays_) {
      const bool go_on = now < strays_due_ + pause_;
      doublings_ = go_on ? std::min(doublings_ + 1, kDoublingsMax) : 0;
      pause_ = interval * (1 << doublings_);
      strays_due_ = now + pause_;
    }
    settle(counts);
  }

 private:
  std::uint64_t retried_ = 0, strays_ = 0;  // counts at the last settle()
  unsigned doublings_ = 0;
  TimeNs pause_{0};  // pause after the last sweep caused by stray answers
  TimeNs strays_due_{0};
};

}  // namespace weft
