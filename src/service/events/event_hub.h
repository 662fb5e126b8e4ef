// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Delivers events to the sinks through a bounded queue and a separate thread, so that slow sinks do
// not delay the subnet manager.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/config/settings.h"
#include "service/events/event_sinks.h"

namespace weft {

class EventHub {
 public:
  static constexpr std::size_t kQueueMax = 1 << 18;

  explicit EventHub(std::vector<std::unique_ptr<EventSink>> sinks) : sinks_(std::move(sinks)) {}
  /// Delivers the queued events and destroys the sinks.
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// Starts the sinks; call after the daemon's fork. Fails with the error of the first sink that
  /// cannot start.
  Status start();
  /// Queues events for the sinks; never blocks. If the queue is full, drops and counts events; the
  /// event WEFT_EVENTS_LOST reports the count when the queue has space again.
  void deliver(std::vector<Event> events);
  void reopen();

 private:
  struct Queued {
    Event event;
    WallTime at;
  };
  void serve();
  void pass_to_sinks(const Queued& queued);

  std::vector<std::unique_ptr<EventSink>> sinks_;  // used only by thread_ while thread_ runs
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Queued> queue_;
  std::uint64_t lost_ = 0;
  bool reopen_requested_ = false;
  bool ending_ = false;
  std::thread thread_;
};

/// Opens the event log and the plugins that the settings configure. Fails with kEnvironment.
Result<std::vector<std::unique_ptr<EventSink>>> open_event_sinks(const Settings& settings);

}  // namespace weft
