// Carries events from the subnet manager's thread to the sinks, which may be slow: a bounded queue
// and a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/event_sinks.h"
#include "service/settings.h"

namespace weft {

class EventHub {
 public:
  static constexpr std::size_t kQueueMax = 1 << 18;

  explicit EventHub(std::vector<std::unique_ptr<EventSink>> sinks) : sinks_(std::move(sinks)) {}
  /// Delivers what is queued and ends the sinks.
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// Starts the sinks. Not to be called before a fork. Fails with the first sink that refuses.
  Status start();
  /// Never waits for a sink. What finds no room is lost, and the next delivery says how much.
  void deliver(std::vector<Event> events);
  void reopen();

 private:
  struct Queued {
    Event event;
    WallTime at;
  };
  void serve();
  void pass_on(const Queued& queued);

  std::vector<std::unique_ptr<EventSink>> sinks_;  // of the thread, once it runs
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Queued> queue_;
  std::uint64_t lost_ = 0;
  bool reopen_asked_ = false;
  bool ending_ = false;
  std::thread thread_;
};

/// The sinks that the settings name, each able to work. Fails with kEnvironment.
Result<std::vector<std::unique_ptr<EventSink>>> open_event_sinks(const Settings& settings);

}  // namespace weft
