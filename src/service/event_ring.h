// The last events as lines of JSON, for whoever asks later or looks on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "service/event_sinks.h"

namespace weft {

class EventRing {
 public:
  static constexpr std::size_t kKept = 4096;

  struct Entry {
    std::uint64_t id = 0;  // counts from 1, without gaps
    std::string line;      // a JSON object that begins with its id
  };

  void add(const Event& event, WallTime at);
  /// How many there were; the id of the last.
  std::uint64_t total() const;
  /// Those behind an id, the oldest first; at most `most`.
  std::vector<Entry> after(std::uint64_t id, std::size_t most) const;

  /// Called after each addition, on the thread that adds. To be set before events come.
  std::function<void()> on_news;

 private:
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  std::uint64_t total_ = 0;
};

std::unique_ptr<EventSink> sink_into(std::shared_ptr<EventRing> ring);

}  // namespace weft
