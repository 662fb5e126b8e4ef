// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Token bucket: limits how often an event may happen. The caller provides the time.
#pragma once

#include <algorithm>

#include "base/clock.h"

namespace weft {

class TokenBucket {
 public:
  /// Starts with `burst` tokens, at least 1; `burst` is also the limit. One token is added after
  /// each `interval`.
  constexpr TokenBucket(unsigned burst, TimeNs interval)
      : interval_(interval), slack_(interval * (burst - 1)) {}

  /// Takes a token; false if there is none.
  bool take(TimeNs now) {
    if (next(now) > now) return false;
    full_at_ = std::max(full_at_, now) + interval_;
    return true;
  }
  /// The time at which the next token is available: `now` if there is one already.
  TimeNs next(TimeNs now) const { return std::max(now, full_at_ - slack_); }
  /// Whether all tokens are available.
  bool is_full(TimeNs now) const { return full_at_ <= now; }

 private:
  TimeNs interval_;
  TimeNs slack_;
  TimeNs full_at_{0};
};

}  // namespace weft
