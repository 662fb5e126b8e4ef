// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Conditions under which indications of late Sets cause a sweep.

#include "sm/discovery/doubtful_sets.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

using std::chrono::seconds;

constexpr TimeNs kInterval = seconds(10);

/// The time, at or after `now` and in whole seconds, of the next sweep that late Sets cause.
TimeNs next_sweep(const DoubtfulSets& doubts, const SmpCounts& counts, TimeNs now) {
  while (!doubts.are_due(counts, now) && now < seconds(1000)) now += seconds(1);
  return now;
}

TEST(DoubtfulSets, CauseASweepAtOnceIfAManagerSentASetTwice) {
  DoubtfulSets doubts;
  SmpCounts counts;
  EXPECT_FALSE(doubts.any(counts));
  for (int second = 0; second < 100; ++second) {
    ++counts.retried_sets;
    EXPECT_TRUE(doubts.any(counts));
    EXPECT_TRUE(doubts.are_due(counts, seconds(second)));
    doubts.settle_by_sweep(counts, seconds(second), kInterval);
    EXPECT_FALSE(doubts.any(counts));
  }
}

TEST(DoubtfulSets, KnownOnlyFromAnswersCauseSweepsAfterGrowingPauses) {
  DoubtfulSets doubts;
  SmpCounts counts;
  TimeNs now = seconds(0);
  for (const int pause : {10, 20, 40, 40, 40}) {
    ++counts.stray_sets;
    EXPECT_TRUE(doubts.any(counts));
    EXPECT_TRUE(doubts.are_due(counts, now));
    doubts.settle_by_sweep(counts, now, kInterval);
    ++counts.stray_sets;
    EXPECT_EQ(next_sweep(doubts, counts, now), now + seconds(pause));
    now += seconds(pause);
  }
  // After some time without late Sets the first pause applies again.
  now += seconds(100);
  EXPECT_TRUE(doubts.are_due(counts, now));
  doubts.settle_by_sweep(counts, now, kInterval);
  ++counts.stray_sets;
  EXPECT_EQ(next_sweep(doubts, counts, now), now + seconds(10));
}

TEST(DoubtfulSets, CauseNoFurtherSweepAfterASweepForAnotherReason) {
  DoubtfulSets doubts;
  SmpCounts counts;
  counts.retried_sets = counts.stray_sets = 3;
  doubts.settle(counts);
  EXPECT_FALSE(doubts.any(counts));
  EXPECT_FALSE(doubts.are_due(counts, seconds(5)));
}

}  // namespace
}  // namespace weft
