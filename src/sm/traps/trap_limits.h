// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Limits on the traps of each sender, so that one port can neither cause sweeps without end nor
// fill the log. A sender is identified by its base LID; senders without an assigned LID share one
// entry. The caller supplies the time.
#pragma once

#include <map>

#include "base/clock.h"
#include "base/token_bucket.h"
#include "ib/ids.h"

namespace weft {

class TrapLimits {
 public:
  /// Burst of traps of a sender that are handled, logged and reported as events.
  static constexpr unsigned kHandledBurst = 20;
  static constexpr TimeNs kHandledInterval = std::chrono::seconds(2);
  static constexpr unsigned kLoggedBurst = 20;
  static constexpr TimeNs kLoggedInterval = std::chrono::seconds(60);
  /// Burst of reads that a sender causes: of a name, a CapabilityMask, or the conditions of ports.
  static constexpr unsigned kReadBurst = 5;
  static constexpr TimeNs kReadInterval = std::chrono::seconds(30);
  /// Interval at which the virtual ports of a sender above its limit are read.
  static constexpr TimeNs kVportInterval = std::chrono::seconds(1);
  /// Burst of heavy sweeps that a sender causes by traps other than 128, and that all senders
  /// cause.
  static constexpr unsigned kSweepBurst = 4;
  static constexpr TimeNs kSweepInterval = std::chrono::seconds(30);
  static constexpr unsigned kAllSweepsBurst = 5;
  static constexpr TimeNs kAllSweepsInterval = std::chrono::seconds(10);
  static constexpr std::size_t kSendersMax = 4096;  // with more senders, idle senders are dropped

  /// Counts a trap; false if the trap must have no effect now.
  bool may_handle(Lid sender, TimeNs now) { return of(sender, now).handled.take(now); }
  /// False if the trap must not be logged or reported as event. Otherwise sets `unlogged` to the
  /// number of traps since the last log line.
  bool may_log(Lid sender, TimeNs now, unsigned& unlogged);
  /// The time from which the sender may cause a read, or a heavy sweep. `now`: the sender may cause
  /// it at once, and the read or sweep is counted.
  TimeNs read_time(Lid sender, TimeNs now);
  TimeNs sweep_time(Lid sender, TimeNs now);

  std::size_t senders() const { return senders_.size(); }

 private:
  struct Sender {
    TokenBucket handled{kHandledBurst, kHandledInterval};
    TokenBucket logged{kLoggedBurst, kLoggedInterval};
    TokenBucket reads{kReadBurst, kReadInterval};
    TokenBucket sweeps{kSweepBurst, kSweepInterval};
    unsigned unlogged = 0;
  };
  Sender& of(Lid sender, TimeNs now);

  std::map<Lid, Sender> senders_;
  TokenBucket all_sweeps_{kAllSweepsBurst, kAllSweepsInterval};
};

}  // namespace weft
