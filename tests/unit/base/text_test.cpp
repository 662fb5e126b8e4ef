// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {
using testing::ElementsAre;

TEST(Text, TrimsWhiteSpaceAndSplitsWords) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_THAT(split_words("  a \t bc "), ElementsAre("a", "bc"));
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
}

TEST(Text, ParsesNumbersOnlyIfTheWholeTextIsANumber) {
  EXPECT_EQ(parse_number<int>("12"), 12);
  EXPECT_EQ(parse_number<int>("12x"), std::nullopt);
  EXPECT_EQ(parse_number<int>(""), std::nullopt);
  EXPECT_EQ(parse_number<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint64_t>("0x10", 16), 16u);
  EXPECT_EQ(parse_number<std::uint64_t>("ff", 16), 255u);
  EXPECT_EQ(parse_c_number<unsigned>("0x1f"), 31u);
  EXPECT_EQ(parse_c_number<unsigned>("31"), 31u);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
}

}  // namespace
}  // namespace weft
