// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/units.h"

#include <gtest/gtest.h>

#include "jobs/channel_usage.h"
#include "jobs/time_queue.h"

namespace weft::jobs {
namespace {

TEST(Units, ReadSizesWithDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("64kB"), 64000U);
  EXPECT_EQ(parse_bytes("1.5GiB"), 1610612736U);
  for (const char* wrong : {"", "nan", "NaN", "inf", "-1", "1.5", "1e400", "7XB", "2e9GiB", " 1"})
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

TEST(Units, ReadTimesInPicoseconds) {
  EXPECT_EQ(parse_time("0"), 0);
  EXPECT_EQ(parse_time("250ns"), 250'000);
  EXPECT_EQ(parse_time("1.5us"), 1'500'000);
  EXPECT_EQ(parse_time("2s"), 2'000'000'000'000);
  for (const char* wrong : {"5", "nan", "-1us", "1us ", "1e9s", "1000001s"})
    EXPECT_FALSE(parse_time(wrong)) << wrong;
}

TEST(Units, ReadRatesInBytesPerSecond) {
  EXPECT_EQ(parse_rate("400Gb/s"), 50e9);
  EXPECT_EQ(parse_rate("450GB/s"), 450e9);
  for (const char* wrong : {"5", "nanGB/s", "-1GB/s", "2000TB/s"}) EXPECT_FALSE(parse_rate(wrong));
}

TEST(Units, WriteTimesAndRatesWithUnits) {
  EXPECT_EQ(time_text(0.0123), "12.3 ms");
  EXPECT_EQ(rate_text(45.6e9), "45.6 GB/s");
}

TEST(TimeQueue, ReturnsTimesInOrderAndEventsInTheOrderPushed) {
  TimeQueue queue;
  // More times than the queue has buckets; each time has two events.
  constexpr std::uint32_t kTimes = 5000;
  for (std::uint32_t round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < kTimes; ++i) queue.push((i * 7919) % kTimes, {i, round});
  std::vector<Event> events;
  for (std::uint32_t time = 0; time < kTimes; ++time) {
    ASSERT_EQ(queue.pop(events), time);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].id * 7919ULL % kTimes, time);
    EXPECT_EQ(events[0].stamp, 0U);
    EXPECT_EQ(events[1].stamp, 1U);
  }
  EXPECT_TRUE(queue.empty());
}

TEST(TimeQueue, AcceptsAnEventOfTheTimeJustReturned) {
  TimeQueue queue;
  std::vector<Event> events;
  queue.push(5, {1, 0});
  EXPECT_EQ(queue.pop(events), 5);
  queue.push(5, {2, 0});
  EXPECT_EQ(queue.pop(events), 5);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].id, 2U);
}

TEST(ChannelUsage, MergesIntervalsIfTheTimeExceedsTheLastInterval) {
  ChannelUsage usage(2);
  usage.add(1, 0, 3'000'000, 2);
  EXPECT_EQ(usage.interval(), 1'000'000);
  usage.add(1, 100'000'000, 150'000'000, 1);
  EXPECT_EQ(usage.interval(), 4'000'000);
  EXPECT_EQ(usage.total(1), 56e6);
  EXPECT_EQ(usage.by_interval(1)[0], 6e6F);
  EXPECT_EQ(usage.by_interval(1)[25], 4e6F);
  EXPECT_EQ(usage.by_interval(1)[37], 2e6F);
  EXPECT_EQ(usage.total(0), 0);
}

}  // namespace
}  // namespace weft::jobs
