// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Token bucket: a limit on how often something may happen. The caller provides the time.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace weft {

class TokenBucket {
 public:
  /// Holds `burst` tokens at first and at most; one more arrives after each `interval`.
  constexpr TokenBucket(unsigned burst, TimeNs interval)
      : interval_(interval), slack_(interval * (burst - 1)) {}

  /// Takes a token; false if there is none.
  bool take(TimeNs now) {
    if (next(now) > now) return false;
    full_at_ = std::max(full_at_, now) + interval_;
    return true;
  }
  /// The time at which the next token is there: `now` if there is one already.
  TimeNs next(TimeNs now) const { return std::max(now, full_at_ - slack_); }
  /// No token was taken that has not arrived again.
  bool is_full(TimeNs now) const { return full_at_ <= now; }

 private:
  TimeNs interval_;
  TimeNs slack_;
  TimeNs full_at_{0};
};

}  // namespace weft
