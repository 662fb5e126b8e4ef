// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sets of which a late copy may have overwritten a newer Set: instead of the next light sweep all
// tables are read again. Two signs: a Set that was sent more than once, and an answer to a Set that
// no request awaits. The second can be forged by any host, so sweeps because of it are limited.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "sm/discovery/smp_client.h"

namespace weft {

class DoubtfulSets {
 public:
  /// The pause between sweeps because of answers doubles up to 4 light-sweep intervals.
  static constexpr unsigned kDoublingsMax = 2;

  bool any(const SmpCounts& counts) const {
    return counts.retried_sets != retried_ || counts.stray_sets != strays_;
  }
  bool are_due(const SmpCounts& counts, TimeNs now) const {
    return counts.retried_sets != retried_ || (counts.stray_sets != strays_ && now >= strays_due_);
  }
  /// A sweep that reads everything begins.
  void settle(const SmpCounts& counts) {
    retried_ = counts.retried_sets;
    strays_ = counts.stray_sets;
  }
  /// The same, because of them.
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
  std::uint64_t retried_ = 0, strays_ = 0;  // settled
  unsigned doublings_ = 0;
  TimeNs pause_{0};  // after the last sweep because of strays
  TimeNs strays_due_{0};
};

}  // namespace weft
