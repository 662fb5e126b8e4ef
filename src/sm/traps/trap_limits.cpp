// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/traps/trap_limits.h"

#include <algorithm>
#include <utility>

namespace weft {

TrapLimits::Sender& TrapLimits::of(Lid sender, TimeNs now) {
  const auto known = senders_.find(sender);
  if (known != senders_.end()) return known->second;
  if (senders_.size() >= kSendersMax)
    std::erase_if(senders_, [now](const auto& entry) {
      const Sender& idle = entry.second;
      return idle.handled.is_full(now) && idle.logged.is_full(now) && idle.reads.is_full(now) &&
             idle.sweeps.is_full(now);
    });
  return senders_[sender];
}

bool TrapLimits::may_log(Lid sender, TimeNs now, unsigned& unlogged) {
  Sender& entry = of(sender, now);
  if (!entry.logged.take(now)) {
    ++entry.unlogged;
    return false;
  }
  unlogged = std::exchange(entry.unlogged, 0);
  return true;
}

TimeNs TrapLimits::read_time(Lid sender, TimeNs now) {
  TokenBucket& own = of(sender, now).reads;
  return own.take(now) ? now : own.next(now);
}

TimeNs TrapLimits::sweep_time(Lid sender, TimeNs now) {
  TokenBucket& own = of(sender, now).sweeps;
  const TimeNs at = std::max(own.next(now), all_sweeps_.next(now));
  if (at > now) return at;
  own.take(now);
  all_sweeps_.take(now);
  return now;
}

}  // namespace weft
