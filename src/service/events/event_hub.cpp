// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/events/event_hub.h"

#include <utility>

namespace weft {
namespace {

WallTime now() { return std::chrono::system_clock::now(); }

}  // namespace

EventHub::~EventHub() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status EventHub::start() {
  for (const auto& sink : sinks_)
    if (auto started = sink->start(); !started) return started;
  if (!sinks_.empty()) thread_ = std::thread([this] { serve(); });
  return {};
}

void EventHub::deliver(std::vector<Event> events) {
  if (sinks_.empty() || events.empty()) return;
  const WallTime at = now();
  {
    const std::lock_guard lock(mutex_);
    for (Event& event : events) {
      if (queue_.size() < kQueueMax) {
        queue_.push_back({std::move(event), at});
      } else {
        ++lost_;
      }
    }
  }
  changed_.notify_one();
}

void EventHub::reopen() {
  {
    const std::lock_guard lock(mutex_);
    reopen_requested_ = true;
  }
  changed_.notify_one();
}

void EventHub::pass_to_sinks(const Queued& queued) {
  for (const auto& sink : sinks_) sink->take(queued.event, queued.at);
}

void EventHub::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !queue_.empty() || reopen_requested_ || ending_; });
    if (queue_.empty() && !reopen_requested_) return;
    const bool reopens = std::exchange(reopen_requested_, false);
    auto batch = std::exchange(queue_, {});
    const std::uint64_t lost = std::exchange(lost_, 0);
    lock.unlock();
    if (reopens)
      for (const auto& sink : sinks_) sink->reopen();
    for (const Queued& queued : batch) pass_to_sinks(queued);
    if (lost > 0) {
      Event event;
      event.kind = WEFT_EVENTS_LOST;
      event.count = lost;
      pass_to_sinks({event, now()});
    }
    lock.lock();
  }
}

Result<std::vector<std::unique_ptr<EventSink>>> open_event_sinks(const Settings& settings) {
  std::vector<std::unique_ptr<EventSink>> sinks;
  if (!settings.event_log.empty()) {
    auto log = open_event_log(settings.event_log);
    if (!log) return forward(log);
    sinks.push_back(std::move(*log));
  }
  for (const std::string& name : plugin_names(settings.event_plugin_name)) {
    auto plugin = load_event_plugin(name, settings.event_plugin_options);
    if (!plugin) return forward(plugin);
    sinks.push_back(std::move(*plugin));
  }
  return sinks;
}

}  // namespace weft
