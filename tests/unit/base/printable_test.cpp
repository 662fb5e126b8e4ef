// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/printable.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace weft {
namespace {

TEST(Printable, KeepsTextOfAllLanguages) {
  for (const char* text :
       {"", "leaf-1 \"a\\b\" {c}", "Zürich Hauptgebäude", "\u6771\u4EAC", "\U0001F600",
        "a\xC2\xA0"
        "b"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesLineEndsAndTerminalControlCharacters) {
  EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable(std::string_view("\0\x07\x7f", 3)), "\\x00\\x07\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");  // C1 control character in UTF-8
  EXPECT_EQ(printable("\x9B"
                      "31m"),
            "\\x9b31m");  // C1 control character as a single byte
  EXPECT_EQ(printable("\xE2\x80\xA8\xE2\x80\xAE"), "\\xe2\\x80\\xa8\\xe2\\x80\\xae");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xC0\x8A"), "\\xc0\\x8a");                    // overlong newline
  EXPECT_EQ(printable("\xE0\x82\x9B"), "\\xe0\\x82\\x9b");           // overlong C1
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable("a\xC3"), "a\\xc3");                           // truncated sequence
  EXPECT_EQ(printable("\xC3\x1b"), "\\xc3\\x1b");
  EXPECT_EQ(printable("\xFF\xFE"), "\\xff\\xfe");
}

TEST(Printable, KeepsLineFeedsAndTabsInATextOfManyLines) {
  EXPECT_EQ(printable("a\tb\n\x1b\r\n", Lines::kMany), "a\tb\n\\x1b\\r\n");
  EXPECT_TRUE(is_printable("a\n", Lines::kMany));
  EXPECT_FALSE(is_printable("a\n"));
}

TEST(Printable, WithoutControlsKeepsBytesOfOtherEncodings) {
  EXPECT_EQ(without_controls("M\xFCller\n\x1b\xC2\x9B"), "M\xFCller\\n\\x1b\\xc2\\x9b");
}

TEST(Printable, JsonHasUnicodeEscapesForControlAndFormatCharacters) {
  EXPECT_EQ(
      printable_json(
          "{\"a\": \"x\x7f\xC2\x85\xC2\x9B\",\n\t\"b\": \"\xE2\x80\xAE\xE2\x80\xA8\xD8\x9C\"}\n"),
      "{\"a\": \"x\\u007f\\u0085\\u009b\",\n\t\"b\": \"\\u202e\\u2028\\u061c\"}\n");
  const std::string plain = "[\"M\xC3\xBCller\", \"\\u001b\", \"\xF0\x9F\x98\x80\"]";
  EXPECT_EQ(printable_json(plain), plain);
  EXPECT_EQ(printable_json(""), "");
}

RC_GTEST_PROP(Printable, ResultHasNoControlCharactersAndStaysUnchangedOnRepetition,
              (const std::string& bytes)) {
  const std::string once = printable(bytes);
  RC_ASSERT(is_printable(once));
  RC_ASSERT(printable(once) == once);
  RC_ASSERT(is_printable(bytes) == (once == bytes));
  for (const char c : once) RC_ASSERT(static_cast<unsigned char>(c) >= ' ' && c != '\x7f');
}

}  // namespace
}  // namespace weft
