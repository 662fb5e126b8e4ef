// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A queue of events by time. Steps of a collective cause many events at few times. Therefore the
// events of one time are in one bucket, and most events cost an append instead of a heap operation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "jobs/units.h"

namespace weft::jobs {

struct Event {
  std::uint32_t id;
  std::uint32_t stamp;  // a completion is outdated if the flow has another stamp
};

class TimeQueue {
 public:
  void push(Picoseconds time, Event event);
  bool empty() const { return heap_.empty(); }
  /// Removes the events of the earliest time, in the order in which they were pushed, and returns
  /// that time. The queue must not be empty.
  Picoseconds pop(std::vector<Event>& events);

 private:
  struct Entry {
    Picoseconds time;
    std::uint64_t order;
    std::uint32_t bucket;
    bool operator<(const Entry& other) const {  // the heap returns the earliest first
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  struct Recent {
    Picoseconds time = -1;
    std::uint32_t bucket = 0;
  };

  std::vector<Entry> heap_;
  std::vector<std::vector<Event>> buckets_;
  std::vector<std::uint32_t> free_;
  std::array<Recent, 1024> recent_;  // by a hash of the time; a bucket replaced here stays in heap_
  std::uint64_t order_ = 0;
};

}  // namespace weft::jobs
