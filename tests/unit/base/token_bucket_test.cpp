// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/token_bucket.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr TimeNs kSecond = std::chrono::seconds(1);

TEST(TokenBucket, AllowsABurstAndThenOneTokenPerInterval) {
  TokenBucket bucket(3, 2 * kSecond);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(kSecond)) << i;
  EXPECT_FALSE(bucket.take(kSecond));
  EXPECT_EQ(bucket.next(kSecond), 3 * kSecond);
  EXPECT_FALSE(bucket.take(3 * kSecond - TimeNs(1)));
  EXPECT_TRUE(bucket.take(3 * kSecond));
  EXPECT_FALSE(bucket.is_full(8 * kSecond));
  EXPECT_TRUE(bucket.is_full(9 * kSecond));
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(bucket.take(100 * kSecond))
        << "expected all tokens of the burst after a long pause";
  EXPECT_FALSE(bucket.take(100 * kSecond));
}

}  // namespace
}  // namespace weft
