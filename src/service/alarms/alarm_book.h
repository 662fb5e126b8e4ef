// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The active and the recently ended alarms of the fabric's ports. Thread-safe: the thread that
// reads counters raises alarms, and other threads acknowledge and list alarms.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"
#include "service/alarms/alarm_rule.h"
#include "service/events/event_sinks.h"

namespace weft {

struct Alarm {
  std::size_t rule = 0;  // index of alarm_rules()
  Severity severity = Severity::kWarning;
  Guid node;
  std::string name;  // name of the node
  PortNum port;
  Guid peer{};  // node GUID of the other end of the cable; 0: no cable
  std::string peer_name{};
  PortNum peer_port{};
  double value = 0;  // last measured value
  double worst = 0;  // the largest value since the alarm was raised
  double limit = 0;  // AlarmLimits::raise when the alarm was raised
  WallTime raised{};
  std::optional<WallTime> ended{};
  std::string end_reason{};
  bool acknowledged = false;
  std::string comment{};  // text of the acknowledgement
  bool operator==(const Alarm&) const = default;
};

/// Identifier such as "bit_error_rate:0x0002c903000e0b72:7"; the same at all managers and after a
/// restart.
std::string alarm_id(const Alarm& alarm);
/// Rule, severity, value, limit and, if there is one, the reason for the end in one line, without
/// node and port.
std::string alarm_text(const Alarm& alarm);

struct AlarmChange {
  enum class Kind { kRaised, kCleared, kAcknowledged };
  Kind kind = Kind::kRaised;
  Alarm alarm;
};
std::string_view name(AlarmChange::Kind kind);

/// The event that reports the change, for the event stream.
Event event_of(const AlarmChange& change);

class AlarmBook {
 public:
  static constexpr std::size_t kActiveMax = 10'000;
  static constexpr std::size_t kEndedMax = 256;

  struct Listing {
    std::vector<Alarm> active;     // ordered by id
    std::vector<Alarm> ended;      // newest first
    std::uint64_t not_listed = 0;  // calls of raise() that returned false
  };
  /// Number of active alarms and of acknowledged active alarms, by rule.
  struct Counts {
    std::array<std::uint64_t, kAlarmRuleCount> active{}, acknowledged{};
  };

  using Listener = std::function<void(const AlarmChange& change)>;

  /// Sets the function that is called after an alarm was raised, cleared or acknowledged, on the
  /// thread of the change. Withdrawing or repeating an acknowledgement does not call this function.
  /// Calls do not overlap; this function waits for a running call. The listener must not change the
  /// book.
  void set_listener(Listener listener);
  /// Adds an alarm. If kActiveMax alarms are active already, adds nothing, counts the call in
  /// Listing::not_listed, and returns false.
  bool raise(Alarm alarm);
  void set_value(const std::string& id, double value);
  /// Ends an alarm; does nothing if there is no such alarm.
  void clear(const std::string& id, const std::string& reason, WallTime at);
  /// Sets or withdraws an acknowledgement and returns the alarm. Fails with kUsage if there is no
  /// such alarm.
  Result<Alarm> acknowledge(const std::string& id, bool acknowledged, std::string comment);

  Listing list() const;
  Counts counts() const;

 private:
  void notify(const AlarmChange& change);

  std::mutex listener_mutex_;  // held during a call
  Listener listener_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, Alarm> active_;
  std::deque<Alarm> ended_;
  std::uint64_t not_listed_ = 0;
};

}  // namespace weft
