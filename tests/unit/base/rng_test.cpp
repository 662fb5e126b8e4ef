// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace weft {
namespace {

TEST(Rng, EqualSeedsGiveEqualNumbersOnEveryMachine) {
  Rng a(42);
  Rng b(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  EXPECT_EQ(Rng(42).next(),
            1546998764402558742u);  // from the reference code: xoshiro256** after splitmix64(42)
}

TEST(Rng, BelowReturnsEveryValueBelowTheBound) {
  Rng rng(7);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t draw = rng.below(10);
    ASSERT_LT(draw, 10u);
    seen.insert(draw);
  }
  EXPECT_EQ(seen.size(), 10u);
}

TEST(Rng, ForksDoNotDependOnEarlierDraws) {
  Rng fresh(3);
  Rng used(3);
  used.next();
  EXPECT_EQ(fresh.fork(5).next(), used.fork(5).next());
  EXPECT_NE(fresh.fork(5).next(), fresh.fork(6).next());
}

TEST(Rng, PermutationContainsEveryNumberOnce) {
  std::vector<std::uint32_t> order = Rng(1).permutation(100);
  EXPECT_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace weft
