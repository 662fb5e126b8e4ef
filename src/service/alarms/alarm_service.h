// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The alarms of a manager: rules, list and receivers.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "service/alarms/alarm_delivery.h"
#include "service/alarms/alarm_watch.h"

namespace weft {

class AlarmService {
 public:
  using Receivers = std::vector<std::unique_ptr<AlarmReceiver>>;

  explicit AlarmService(const AlarmLimitsTable& limits);
  ~AlarmService();
  AlarmService(const AlarmService&) = delete;
  AlarmService& operator=(const AlarmService&) = delete;

  AlarmBook& book() { return *book_; }
  /// The alarm list, for other threads.
  std::shared_ptr<AlarmBook> shared_book() const { return book_; }
  std::vector<std::shared_ptr<const DeliveryMeter>> meters() const;

  /// Adds a receiver; call before start().
  void add(std::unique_ptr<AlarmReceiver> receiver) { receivers_.push_back(std::move(receiver)); }
  /// Starts the receivers' threads; call after the daemon's fork.
  void start();

  /// Called after an alarm was raised, cleared or acknowledged; set before the first reading.
  std::function<void(const AlarmChange& change)> on_change;

  /// Evaluates the rules for a reading of the counters. Thread-safe.
  void take(const CounterStore& store, const Snapshot& snapshot, TimeNs now);
  void set_limits(const AlarmLimitsTable& limits);
  /// Ends all alarms; call when this manager stops reading counters.
  void forget(const std::string& reason);

 private:
  void changed(const AlarmChange& change);

  const std::shared_ptr<AlarmBook> book_ = std::make_shared<AlarmBook>();
  std::mutex mutex_;  // guards watch_
  AlarmWatch watch_;
  Receivers receivers_;
};

}  // namespace weft
