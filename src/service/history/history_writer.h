// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes the history on a separate thread, so that a slow or full disk never blocks the manager or
// other event sinks. Unwritten events wait in a bounded queue. Events that arrive while the queue
// is full are dropped; their number is reported in the history and in the log.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "service/config/settings.h"
#include "service/events/event_sinks.h"
#include "service/history/history.h"
#include "service/history/history_meter.h"
#include "service/sm_board.h"

namespace weft {

/// Builds sweep records from the event sequence.
class SweepAssembler {
 public:
  /// Returns the record of a sweep if this event ends the sweep.
  std::optional<SweepRecord> take(const Event& event, WallTime at);

 private:
  SweepRecord under_way_;
};

/// Counter increments between two readings of the totals; omits ports without increments. If a
/// total decreased, the counter was cleared, and the new value is the increment.
class CounterDeltas {
 public:
  std::vector<CounterRecord> take(const std::vector<PortCounts>& totals);

 private:
  std::map<std::pair<Guid, PortNum>, PortCounts> before_;
};

class HistoryWriter {
 public:
  static constexpr std::size_t kQueueMax = 1 << 16;
  /// Intervals of writing.
  struct Pace {
    std::chrono::milliseconds gather = std::chrono::milliseconds(300);  // to write events together
    std::chrono::milliseconds again = std::chrono::seconds(10);         // retry after a failure
    std::chrono::milliseconds compact = std::chrono::minutes(5);
    std::chrono::milliseconds counters = std::chrono::seconds(30);
  };
  /// Returns the current counters. Counters are unavailable if the function is empty or the table
  /// is null.
  using ReadCounters = std::function<PortCountsTable()>;

  HistoryWriter(std::string path, const HistoryRetention& keeping, ReadCounters counters);
  HistoryWriter(std::string path, const HistoryRetention& keeping, ReadCounters counters,
                const Pace& pace);
  /// Tries once to write the queued events, unless a write or open() has failed within Pace::again.
  ~HistoryWriter();
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;

  /// Starts the thread; call after the daemon's fork.
  void start();
  /// Queues an event; never blocks. Thread-safe.
  void take(const Event& event, WallTime at);
  void set_keeping(const HistoryRetention& keeping);
  std::shared_ptr<const HistoryMeter> meter() const { return meter_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Queued {
    Event event;
    WallTime at;
  };
  void serve();
  bool is_open();
  Status write(const std::deque<Queued>& batch, std::uint64_t lost);
  Status write_events(const std::deque<Queued>& batch, std::uint64_t lost);
  void write_counters();
  void compact();
  bool record_result(const Status& status);

  const std::string path_;
  const ReadCounters read_counters_;
  const Pace pace_;
  const std::shared_ptr<HistoryMeter> meter_ = std::make_shared<HistoryMeter>();

  // Only the thread uses these members.
  std::optional<HistoryDatabase> database_;
  Time open_at_{}, compact_at_{}, counters_at_{};
  bool failing_ = false;  // the last write failed, and the failure is logged
  SweepAssembler sweeps_;
  CounterDeltas counters_;

  std::mutex mutex_;
  std::condition_variable changed_;
  HistoryRetention keeping_;
  std::deque<Queued> queue_;
  std::uint64_t lost_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

HistoryRetention history_keeping(const Settings& settings);
/// A sink that passes events to `writer`, which must outlive the sink.
std::unique_ptr<EventSink> make_sink_into(HistoryWriter& writer);

}  // namespace weft
