// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of the emulator's events.
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/rng.h"
#include "emulator/event_queue.h"

namespace weft::emulator {
namespace {

/// Events in the order of time; events of the same time in the order of insertion, as in a
/// multimap. A time before the time of the event that was removed last becomes that time.
class PlainQueue {
 public:
  void push(TimeNs time, std::uint32_t subject) { events_.emplace(std::max(time, last_), subject); }
  std::pair<TimeNs, std::uint32_t> pop() {
    const auto first = *events_.begin();
    events_.erase(events_.begin());
    last_ = first.first;
    return first;
  }
  std::size_t size() const { return events_.size(); }
  TimeNs next_time() const { return events_.begin()->first; }

 private:
  std::multimap<TimeNs, std::uint32_t> events_;
  TimeNs last_{0};
};

TEST(EventQueue, ReturnsEventsInOrderOfTimeAndThenOfInsertion) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    EventQueue queue;
    PlainQueue plain;
    TimeNs now{0};
    std::uint32_t subject = 0;
    const unsigned bits = 1 + static_cast<unsigned>(rng.below(50));  // delays are below 2^bits
    for (unsigned i = 0; i < 3000; ++i) {
      if (plain.size() == 0 || rng.chance(i < 1500 ? 0.6 : 0.4)) {
        const auto delay =
            static_cast<std::int64_t>(rng.below(std::uint64_t{1} << rng.below(bits)));
        const TimeNs time = rng.chance(0.05) ? now - TimeNs{delay} : now + TimeNs{delay};
        queue.push(time, EventKind::kArrival, subject, subject + 1);
        plain.push(time, subject++);
      } else {
        ASSERT_EQ(queue.next_time(), plain.next_time()) << "seed " << seed;
        const auto [time, expected] = plain.pop();
        const Event event = queue.pop();
        ASSERT_EQ(event.time, time) << "seed " << seed;
        ASSERT_EQ(event.subject, expected) << "seed " << seed;
        ASSERT_EQ(event.generation, expected + 1);
        now = time;
      }
      ASSERT_EQ(queue.size(), plain.size());
    }
  }
}

TEST(EventQueue, ReturnsEventsOfTheSameTimeInOrderOfInsertion) {
  EventQueue queue;
  queue.push(TimeNs{5}, EventKind::kAction, 0);
  queue.push(TimeNs{5}, EventKind::kAction, 1);
  for (std::uint32_t i = 0; i < 10'000; ++i) {  // all events have the same time
    const Event event = queue.pop();
    ASSERT_EQ(event.subject, i);
    queue.push(event.time, EventKind::kAction, i + 2);
  }
  EXPECT_EQ(queue.size(), 2u);
}

}  // namespace
}  // namespace weft::emulator
