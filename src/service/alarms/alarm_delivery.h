// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Delivers alarms to a webhook and to Alertmanager. Each receiver has a thread, so that a slow or
// unreachable receiver delays neither the other receiver nor the manager. A failed delivery is
// repeated after a pause; the pause doubles with each failure, up to a limit. Changes that the
// webhook refuses are dropped.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/alarms/alarm_book.h"
#include "service/alarms/json_poster.h"

namespace weft {

struct DeliveryMeter {
  std::string_view receiver;             // "webhook" or "alertmanager"
  std::atomic<std::uint64_t> sent{0};    // requests that succeeded
  std::atomic<std::uint64_t> failed{0};  // requests that failed
  std::atomic<std::uint64_t> lost{0};    // changes dropped: refused, or queue full
  std::atomic<bool> failing{false};      // the last request failed
};

/// Intervals of delivery.
struct DeliveryPace {
  std::chrono::milliseconds first_pause = std::chrono::seconds(1);
  std::chrono::milliseconds longest_pause = std::chrono::minutes(1);
  std::chrono::milliseconds resend = std::chrono::minutes(1);  // interval of Alertmanager requests
};

/// Runs deliveries on a thread; repeats a failed delivery after a pause.
class RetryLoop {
 public:
  enum class Outcome { kNothingToDo, kDone, kFailed };
  /// `attempt` is the delivery. `idle`: longest time until the next attempt if there was no data.
  RetryLoop(std::function<Outcome()> attempt, const DeliveryPace& pace,
            std::chrono::milliseconds idle)
      : attempt_(std::move(attempt)), pace_(pace), idle_(idle) {}
  ~RetryLoop() { end(); }

  void start() {
    thread_ = std::thread([this] { serve(); });
  }
  /// Starts an attempt; after a failure, the attempt starts when the pause ends. Call when there is
  /// data to deliver.
  void wake();
  /// Prevents further attempts; end() also waits for the current attempt.
  void stop();
  void end();
  bool is_ending() const { return ending_; }

 private:
  void serve();

  const std::function<Outcome()> attempt_;
  const DeliveryPace pace_;
  const std::chrono::milliseconds idle_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

class AlarmReceiver {
 public:
  virtual ~AlarmReceiver() = default;
  /// Call after the daemon's fork.
  virtual void start() = 0;
  /// Accepts a change for delivery; never blocks. Thread-safe.
  virtual void take(const AlarmChange& change) = 0;
  std::shared_ptr<const DeliveryMeter> meter() const { return meter_; }

 protected:
  AlarmReceiver(std::string_view receiver, const PosterOptions& options)
      : meter_(std::make_shared<DeliveryMeter>()), poster_(options) {
    meter_->receiver = receiver;
  }
  /// Posts to the receiver and counts the result; logs the first failure and the recovery.
  Status post(const std::string& path, const std::string& body);

  const std::shared_ptr<DeliveryMeter> meter_;
  JsonPoster poster_;
};

/// Sends the changes in order, at most kBatch in a request. Drops changes beyond kQueueMax.
class Webhook final : public AlarmReceiver {
 public:
  static constexpr std::size_t kQueueMax = 4096;
  static constexpr std::size_t kBatch = 100;
  explicit Webhook(const PosterOptions& options, const DeliveryPace& pace = {});
  ~Webhook() override;
  void start() override { loop_.start(); }
  void take(const AlarmChange& change) override;

 private:
  RetryLoop::Outcome attempt();

  const std::string path_;
  std::mutex mutex_;
  std::deque<AlarmChange> queue_;
  RetryLoop loop_;
};

/// Sends all active alarms and the recently ended alarms, after each change and at the interval
/// `resend`. So no active alarm is lost if Alertmanager is unreachable for some time.
class Alertmanager final : public AlarmReceiver {
 public:
  static constexpr std::size_t kAlertsOfRequest = 500;
  /// `book` must outlive this object. A URL without a path gets the path of API v2.
  Alertmanager(const PosterOptions& options, const AlarmBook& book, const DeliveryPace& pace = {});
  ~Alertmanager() override;
  void start() override { loop_.start(); }
  void take(const AlarmChange& change) override;

 private:
  RetryLoop::Outcome attempt();

  const AlarmBook& book_;
  const std::string path_;
  const DeliveryPace pace_;
  std::atomic<bool> changed_ = true;
  std::chrono::steady_clock::time_point next_{};  // only the thread uses this member
  RetryLoop loop_;
};

}  // namespace weft
