// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reports of increases of error counters: the values before and after, the times, and the limits.
// Every increase is reported eventually, except increases of XmitWait.

#include "gmp/error_rises.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "support/performance_subnet.h"

namespace weft {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;

constexpr Guid kNode{0x100};

class ErrorRisesTest : public testing::Test {
 protected:
  /// A reading of one port.
  void read(PortNum port, Counter counter, std::uint64_t value) {
    store_.set_active(kNode, "S0");
    CounterValues values{};
    values[index(counter)] = value;
    rises_.add(kNode, port, store_.take(kNode, port, values, CounterGroup::kErrors, 1).delta);
  }
  CounterStore store_;
  ErrorRises rises_;
};

TEST_F(ErrorRisesTest, HaveTheValueBeforeAndAfter) {
  read(PortNum(3), Counter::kSymbolErrors, 5);
  const auto rises = rises_.take(store_, seconds(1));
  ASSERT_EQ(rises.size(), 1u);
  EXPECT_EQ(rises[0].node, kNode);
  EXPECT_EQ(rises[0].name, "S0");
  EXPECT_EQ(rises[0].port, PortNum(3));
  EXPECT_EQ(rises[0].counter, Counter::kSymbolErrors);
  EXPECT_EQ(rises[0].before, 0u);
  EXPECT_EQ(rises[0].after, 5u);
  EXPECT_THAT(rises_.take(store_, seconds(100)), IsEmpty());
}

TEST_F(ErrorRisesTest, AreReportedOnceAMinutePerCounter) {
  read(PortNum(3), Counter::kSymbolErrors, 5);
  EXPECT_EQ(rises_.take(store_, seconds(0)).size(), 1u);
  read(PortNum(3), Counter::kSymbolErrors, 7);
  EXPECT_THAT(rises_.take(store_, seconds(10)), IsEmpty());
  read(PortNum(3), Counter::kSymbolErrors, 8);
  EXPECT_THAT(rises_.take(store_, seconds(59)), IsEmpty());
  const auto rises = rises_.take(store_, seconds(60));
  ASSERT_EQ(rises.size(), 1u);
  EXPECT_EQ(rises[0].before, 5u);
  EXPECT_EQ(rises[0].after, 8u);
}

TEST_F(ErrorRisesTest, AboveTheLimitAreReportedWithTheNextReading) {
  for (unsigned port = 1; port <= 100; ++port)
    for (const Counter counter :
         {Counter::kSymbolErrors, Counter::kLinkDowned, Counter::kRcvErrors})
      read(PortNum(static_cast<std::uint8_t>(port)), counter, 2);
  EXPECT_EQ(rises_.take(store_, seconds(0)).size(), ErrorRises::kReportsMax);
  EXPECT_EQ(rises_.take(store_, seconds(1)).size(), 300 - ErrorRises::kReportsMax);
  EXPECT_THAT(rises_.take(store_, seconds(2)), IsEmpty());
}

TEST_F(ErrorRisesTest, AreAllReportedIfMoreThanTheLimitRiseInEachReading) {
  std::set<std::pair<PortNum, Counter>> reported;
  for (std::uint64_t reading = 1; reading <= 2; ++reading) {
    for (unsigned port = 1; port <= 100; ++port)
      for (const Counter counter :
           {Counter::kSymbolErrors, Counter::kLinkDowned, Counter::kRcvErrors})
        read(PortNum(static_cast<std::uint8_t>(port)), counter, reading);
    const auto rises = rises_.take(store_, ErrorRises::kReportInterval * reading);
    EXPECT_EQ(rises.size(), ErrorRises::kReportsMax);
    for (const ErrorRise& rise : rises) reported.insert({rise.port, rise.counter});
  }
  EXPECT_EQ(reported.size(), 300u);
}

TEST_F(ErrorRisesTest, ExcludeXmitWait) {
  read(PortNum(3), Counter::kXmitWait, 5'000'000);
  EXPECT_THAT(rises_.take(store_, seconds(1)), IsEmpty());
}

}  // namespace
}  // namespace weft
