// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pending events in the order of virtual time; events with the same time are in the order in which
// they were scheduled. Events are small values that the owner interprets.
//
// A radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, JACM 1990): virtual time only advances, so an
// event is stored by the highest bit in which its time differs from that of the last event taken.
// An event moves only to lower bits, at most once for each bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/clock.h"

namespace weft::emulator {

enum class EventKind : std::uint8_t {
  kArrival,      // subject: packet slot
  kTraining,     // subject: port, generation: of the link
  kLeaseEnd,     // subject: port, generation: of its lease
  kTrapRepeat,   // subject: slot of the trap, generation: of the slot
  kAction,       // subject: slot of the action
  kGmpArrival,   // subject: packet slot of Gmps
  kNotification  // subject: slot of Notifications
};

struct Event {
  TimeNs time{};
  EventKind kind{};
  std::uint32_t subject = 0;
  std::uint32_t generation = 0;
};

class EventQueue {
 public:
  /// If `time` precedes the last event taken, the time of that event is used.
  void push(TimeNs time, EventKind kind, std::uint32_t subject, std::uint32_t generation = 0) {
    keep({std::max(time, last_), kind, subject, generation});
    ++size_;
  }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Time of the event that `pop` returns next; the queue must not be empty.
  TimeNs next_time() const { return buckets_[lowest()].earliest; }

  Event pop() {
    CHECK(!empty());
    if ((used_ & 1) == 0) advance();
    Bucket& due = buckets_[0];
    const Event event = due.events[taken_++];
    --size_;
    if (taken_ == due.events.size()) used_ &= ~std::uint64_t{1};
    if (taken_ == due.events.size() || taken_ > kTakenMax + due.events.size() / 2) {
      due.events.erase(due.events.begin(), due.events.begin() + static_cast<long>(taken_));
      taken_ = 0;
    }
    return event;
  }

 private:
  /// Taken events are erased if they are more than half of the bucket plus this number.
  static constexpr std::size_t kTakenMax = 1024;
  struct Bucket {
    std::vector<Event> events;  // in the order in which they were scheduled
    TimeNs earliest{};
  };

  unsigned lowest() const { return static_cast<unsigned>(std::countr_zero(used_)); }

  void keep(const Event& event) {
    const auto differing = static_cast<std::uint64_t>(event.time.count() ^ last_.count());
    const auto index = static_cast<unsigned>(std::bit_width(differing));
    Bucket& bucket = buckets_[index];
    const std::uint64_t bit = std::uint64_t{1} << index;
    bucket.earliest = (used_ & bit) == 0 ? event.time : std::min(bucket.earliest, event.time);
    used_ |= bit;
    bucket.events.push_back(event);
  }

  /// Makes the earliest events due: distributes the events of the lowest bucket among the buckets
  /// below.
  void advance() {
    const unsigned index = lowest();
    Bucket& bucket = buckets_[index];
    last_ = bucket.earliest;
    used_ &= ~(std::uint64_t{1} << index);
    for (const Event& event : bucket.events) keep(event);
    bucket.events.clear();
  }

  std::array<Bucket, 64> buckets_;  // [0]: events at `last_`; times are not negative
  std::uint64_t used_ = 0;          // one bit for each bucket with events
  std::size_t taken_ = 0;           // events taken from buckets_[0]
  std::size_t size_ = 0;
  TimeNs last_{0};  // time of the last event taken
};

}  // namespace weft::emulator
