// Keeps the history on a thread of its own, so that a slow or full disk never holds the manager nor
// other readers of events: what cannot be written waits in a bounded queue; what finds no room
// there is counted, and the count is told in the history itself and in the log.
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

#include "service/event_sinks.h"
#include "service/history.h"
#include "service/history_meter.h"
#include "service/settings.h"
#include "service/sm_board.h"

namespace weft {

/// Sweeps, out of their events.
class SweepsOfEvents {
 public:
  /// The sweep that ends with this event.
  std::optional<SweepRecord> take(const Event& event, WallTime at);

 private:
  SweepRecord under_way_;
};

/// What ports counted between two looks at their totals; ports that counted nothing are left out.
/// A total that went back was cleared, and counts from 0.
class CountersOfTotals {
 public:
  std::vector<CounterRecord> take(const std::vector<PortCounts>& totals);

 private:
  std::map<std::pair<Guid, PortNum>, PortCounts> before_;
};

class HistoryWriter {
 public:
  static constexpr std::size_t kQueueMax = 1 << 16;
  /// Times that tests shorten.
  struct Pace {
    std::chrono::milliseconds gather =
        std::chrono::milliseconds(300);                          // events for one transaction
    std::chrono::milliseconds again = std::chrono::seconds(10);  // after a failure
    std::chrono::milliseconds tidy = std::chrono::minutes(5);
    std::chrono::milliseconds counters = std::chrono::seconds(30);
  };
  /// Null or nothing: there are none now.
  using AskCounters = std::function<PortCountsTable()>;

  HistoryWriter(std::string path, const HistoryKeeping& keeping, AskCounters counters);
  HistoryWriter(std::string path, const HistoryKeeping& keeping, AskCounters counters,
                const Pace& pace);
  /// Writes what is queued, if that can be.
  ~HistoryWriter();
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;

  /// Not to be called before a fork.
  void start();
  /// Never waits. From any thread.
  void take(const Event& event, WallTime at);
  void set_keeping(const HistoryKeeping& keeping);
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
  void tidy();
  bool worked(const Status& status);

  const std::string path_;
  const AskCounters ask_counters_;
  const Pace pace_;
  const std::shared_ptr<HistoryMeter> meter_ = std::make_shared<HistoryMeter>();

  // Of the thread
  std::optional<HistoryDatabase> database_;
  Time open_at_{}, tidy_at_{}, counters_at_{};
  bool failing_ = false;  // and that is said
  SweepsOfEvents sweeps_;
  CountersOfTotals counters_;

  std::mutex mutex_;
  std::condition_variable changed_;
  HistoryKeeping keeping_;
  std::deque<Queued> queue_;
  std::uint64_t lost_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

HistoryKeeping history_keeping(const Settings& settings);
/// `writer` must live as long.
std::unique_ptr<EventSink> sink_into(HistoryWriter& writer);

}  // namespace weft
