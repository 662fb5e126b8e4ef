// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/large_vector.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace weft {
namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20;

/// After each test, frees all blocks that were kept.
struct FreedBlocksKept : testing::Test {
  ~FreedBlocksKept() override { keep_freed_blocks(0); }
};

TEST_F(FreedBlocksKept, AreUsedForTheNextRequestOfTheirSize) {
  keep_freed_blocks(1);
  void* const first = allocate_large(kBytes);
  free_large(first, kBytes);
  void* const other = allocate_large(2 * kBytes);
  EXPECT_NE(other, first);
  void* const again = allocate_large(kBytes);
  EXPECT_EQ(again, first);
  void* const third = allocate_large(kBytes);
  EXPECT_NE(third, first);
  free_large(other, 2 * kBytes);
  free_large(again, kBytes);
  free_large(third, kBytes);
}

TEST_F(FreedBlocksKept, AreTheBlocksFreedLast) {
  keep_freed_blocks(2);
  void* const oldest = allocate_large(kBytes);
  void* const second = allocate_large(2 * kBytes);
  void* const last = allocate_large(3 * kBytes);
  free_large(oldest, kBytes);
  free_large(second, 2 * kBytes);
  free_large(last, 3 * kBytes);
  EXPECT_EQ(allocate_large(3 * kBytes), last);
  EXPECT_EQ(allocate_large(2 * kBytes), second);
  free_large(last, 3 * kBytes);
  free_large(second, 2 * kBytes);
}

TEST(LargeVector, KeepsGivenValuesWhenResized) {
  LargeVector<std::uint8_t> values;
  values.resize(kBytes);
  values[kBytes - 1] = 7;
  values.resize(kBytes + 1, std::uint8_t{9});
  EXPECT_EQ(values[kBytes - 1], 7);
  EXPECT_EQ(values[kBytes], 9);
}

}  // namespace
}  // namespace weft
