// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarms/alarm_delivery.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/log.h"
#include "service/alarms/alarm_json.h"

namespace weft {
namespace {

/// Time for which an ended alarm is sent to Alertmanager, because the first request may be lost.
constexpr auto kEndedFor = std::chrono::minutes(15);
/// An alert expires at Alertmanager unless it is sent again within this number of intervals.
constexpr int kLifetimeIntervals = 4;

std::string path_of_alerts(const std::string& path) {
  if (path.find("/api/") != std::string::npos) return path;
  return path + (path.ends_with('/') ? "" : "/") + "api/v2/alerts";
}

WallTime wall_now() {
  return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
}

}  // namespace

// ---- thread

void RetryLoop::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
}

void RetryLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
}

void RetryLoop::end() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void RetryLoop::serve() {
  auto pause = pace_.first_pause;
  std::unique_lock lock(mutex_);
  while (!ending_) {
    woken_ = false;
    lock.unlock();
    const Outcome outcome = attempt_();
    lock.lock();
    if (outcome == Outcome::kFailed) {
      changed_.wait_for(lock, pause, [&] { return ending_.load(); });
      pause = std::min(2 * pause, pace_.longest_pause);
      continue;
    }
    pause = pace_.first_pause;
    if (outcome == Outcome::kNothingToDo)
      changed_.wait_for(lock, idle_, [&] { return ending_ || woken_; });
  }
}

// ---- receivers

Status AlarmReceiver::post(const std::string& path, const std::string& body) {
  const Status posted = poster_.post(path, body);
  if (posted) {
    ++meter_->sent;
    if (meter_->failing.exchange(false))
      log::info("alarms are delivered to receiver {} again", meter_->receiver);
    return posted;
  }
  ++meter_->failed;
  if (!meter_->failing.exchange(true))
    log::warn("cannot deliver alarms to receiver {}: {}", meter_->receiver, posted.error().message);
  return posted;
}

Webhook::Webhook(const PosterOptions& options, const DeliveryPace& pace)
    : AlarmReceiver("webhook", options),
      path_(options.url.path),
      loop_([this] { return attempt(); }, pace, pace.longest_pause) {}

Webhook::~Webhook() {
  loop_.stop();
  poster_.stop();
  loop_.end();
}

void Webhook::take(const AlarmChange& change) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kQueueMax) {
      ++meter_->lost;
      return;
    }
    queue_.push_back(change);
  }
  loop_.wake();
}

/// Removes a batch from the queue when the receiver has accepted or refused it.
RetryLoop::Outcome Webhook::attempt() {
  std::vector<AlarmChange> batch;
  {
    const std::lock_guard lock(mutex_);
    const auto size = static_cast<std::ptrdiff_t>(std::min(queue_.size(), kBatch));
    batch.assign(queue_.begin(), queue_.begin() + size);
  }
  if (batch.empty()) return RetryLoop::Outcome::kNothingToDo;
  const Status posted = post(path_, webhook_body(batch, meter_->lost));
  if (!posted && posted.error().code == Code::kTimeout) return RetryLoop::Outcome::kFailed;
  if (!posted) meter_->lost += batch.size();
  const std::lock_guard lock(mutex_);
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(batch.size()));
  return RetryLoop::Outcome::kDone;
}

Alertmanager::Alertmanager(const PosterOptions& options, const AlarmBook& book,
                           const DeliveryPace& pace)
    : AlarmReceiver("alertmanager", options),
      book_(book),
      path_(path_of_alerts(options.url.path)),
      pace_(pace),
      loop_([this] { return attempt(); }, pace, pace.resend) {}

Alertmanager::~Alertmanager() {
  loop_.stop();
  poster_.stop();
  loop_.end();
}

void Alertmanager::take(const AlarmChange&) {
  changed_ = true;
  loop_.wake();
}

RetryLoop::Outcome Alertmanager::attempt() {
  const auto now = std::chrono::steady_clock::now();
  const bool changed = changed_.exchange(false);
  if (!changed && now < next_) return RetryLoop::Outcome::kNothingToDo;
  auto [alarms, ended, not_listed] = book_.list();
  const WallTime wall = wall_now();
  for (const Alarm& alarm : ended)
    if (alarm.ended && wall - *alarm.ended < kEndedFor) alarms.push_back(alarm);
  const auto lifetime = std::chrono::ceil<std::chrono::seconds>(kLifetimeIntervals * pace_.resend);
  for (std::size_t at = 0; at < alarms.size() && !loop_.is_ending(); at += kAlertsOfRequest) {
    const auto part =
        std::span<const Alarm>(alarms).subspan(at, std::min(kAlertsOfRequest, alarms.size() - at));
    if (post(path_, alertmanager_body(part, wall, lifetime))) continue;
    changed_ = true;
    return RetryLoop::Outcome::kFailed;
  }
  next_ = now + pace_.resend;
  return RetryLoop::Outcome::kDone;
}

}  // namespace weft
