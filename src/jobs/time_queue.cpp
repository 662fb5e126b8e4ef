// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/time_queue.h"

#include <algorithm>

namespace weft::jobs {
namespace {

std::size_t slot_of(Picoseconds time) {
  return (static_cast<std::uint64_t>(time) * 0x9E3779B97F4A7C15ull) >> 54;
}

}  // namespace

void TimeQueue::push(Picoseconds time, Event event) {
  Recent& recent = recent_[slot_of(time)];
  if (recent.time != time) {
    std::uint32_t bucket = static_cast<std::uint32_t>(buckets_.size());
    if (free_.empty()) {
      buckets_.emplace_back();
    } else {
      bucket = free_.back();
      free_.pop_back();
    }
    recent = {time, bucket};
    heap_.push_back({time, order_++, bucket});
    std::push_heap(heap_.begin(), heap_.end());
  }
  buckets_[recent.bucket].push_back(event);
}

Picoseconds TimeQueue::pop(std::vector<Event>& events) {
  events.clear();
  const Picoseconds time = heap_.front().time;
  while (!heap_.empty() && heap_.front().time == time) {
    std::pop_heap(heap_.begin(), heap_.end());
    const std::uint32_t bucket = heap_.back().bucket;
    heap_.pop_back();
    events.insert(events.end(), buckets_[bucket].begin(), buckets_[bucket].end());
    buckets_[bucket].clear();
    free_.push_back(bucket);
  }
  Recent& recent = recent_[slot_of(time)];
  if (recent.time == time) recent.time = -1;
  return time;
}

}  // namespace weft::jobs
