// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Evaluates the rules of alarms after each reading of the counters. An alarm begins after a number
// of consecutive readings at or above its upper limit, and ends after the same number at or below
// its lower limit. The first reading of a port is a baseline, because the counters may contain old
// errors; so is the first reading after its counters were cleared. The state of a port that was not
// read is unchanged. Cost: O(ports * rules) time for a reading; about 250 bytes of state for each
// port.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "base/clock.h"
#include "gmp/counter_store.h"
#include "service/alarms/alarm_book.h"
#include "sm/sweep_report.h"

namespace weft {

class AlarmWatch {
 public:
  /// `book` must outlive this object.
  AlarmWatch(AlarmBook& book, const AlarmLimitsTable& limits) : book_(book), limits_(limits) {}

  /// Sets the limits, and ends the alarms of rules that are now off.
  void set_limits(const AlarmLimitsTable& limits, WallTime wall);
  /// Evaluates the counters in `store`. `now` is the time of this reading, by the clock that all
  /// readings use.
  void take(const CounterStore& store, const Snapshot& snapshot, TimeNs now, WallTime wall);
  /// Ends all alarms; the next reading is a baseline.
  void forget(const std::string& reason, WallTime wall);

 private:
  using PortKey = std::pair<Guid, PortNum>;
  struct Streak {
    std::uint16_t high = 0, low = 0;  // number of consecutive readings at or beyond each limit
    bool active = false;
  };
  struct PortState {
    CounterValues before{};
    TimeNs at{0};
    std::time_t errors_read = 0, data_read = 0;
    std::array<Streak, kAlarmRuleCount> streaks{};
    bool seen = true;  // the current reading contains the port
  };
  struct Increase {
    TimeNs at{0};
    std::uint64_t count = 0;
  };
  /// The data of a port in a reading.
  struct Reading {
    PortKey key;
    const std::string& name;
    const Snapshot& snapshot;
    const Port* port;  // null: not in the snapshot
    CounterValues delta{};
    double seconds = 0;
    TimeNs now{0};
    WallTime wall{};
  };

  void take_port(const Reading& place, const PortTally& tally);
  void apply(const Reading& reading, std::size_t rule, double value, Streak& streak);
  double measure(const Reading& reading, std::size_t rule);
  double in_last_hour(const Reading& reading, std::size_t rule, std::uint64_t count);
  void end_port(const PortKey& key, const PortState& state, const std::string& reason,
                WallTime wall);

  AlarmBook& book_;
  AlarmLimitsTable limits_;
  std::map<PortKey, PortState> ports_;
  std::map<std::pair<PortKey, std::size_t>, std::deque<Increase>> increases_;
};

}  // namespace weft
