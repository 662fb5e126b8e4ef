// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The most recent events as JSON lines, for the HTTP event list and event stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "service/events/event_sinks.h"

namespace weft {

class EventRing {
 public:
  static constexpr std::size_t kKept = 4096;

  struct Entry {
    std::uint64_t id = 0;  // consecutive, starts at 1
    std::string line;      // a JSON object with the id as its first member
  };

  void add(const Event& event, WallTime at);
  /// Adds a copy of an entry of another ring. If the id does not follow the last id, the entry
  /// replaces all other entries.
  void put(Entry entry);
  /// Id of the last event; 0 if there is none.
  std::uint64_t total() const;
  /// Up to `most` events with ids greater than `id`, oldest first.
  std::vector<Entry> after(std::uint64_t id, std::size_t most) const;

  /// Called after each addition, on the adding thread. Set this function before the first add().
  std::function<void()> on_entry_added;

 private:
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::uint64_t total_ = 0;
};

/// A sink that adds each event to the ring.
std::unique_ptr<EventSink> make_sink_into(std::shared_ptr<EventRing> ring);

}  // namespace weft
