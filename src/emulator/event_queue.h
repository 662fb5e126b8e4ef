// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pending events in order of virtual time; events of the same time are in the order in which they
// were scheduled. Events are small values that the owner interprets.
#pragma once

#include <algorithm>
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
  std::uint64_t order = 0;
  EventKind kind{};
  std::uint32_t subject = 0;
  std::uint32_t generation = 0;
};

class EventQueue {
 public:
  void push(TimeNs time, EventKind kind, std::uint32_t subject, std::uint32_t generation = 0) {
    heap_.push_back({time, next_order_++, kind, subject, generation});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  TimeNs next_time() const { return heap_.front().time; }
  Event pop() {
    CHECK(!heap_.empty());
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Event event = heap_.back();
    heap_.pop_back();
    return event;
  }

 private:
  static bool later(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }
  std::vector<Event> heap_;
  std::uint64_t next_order_ = 0;
};

}  // namespace weft::emulator
