// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/regexp.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

bool finds(const std::string& expression, const std::string& text) {
  const auto compiled = Regexp::compile(expression);
  EXPECT_TRUE(compiled) << expression << ": " << compiled.error().message;
  return compiled && compiled->finds(text);
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Regexp, MatchesAnywhereInTheTextByPosixRules) {
  EXPECT_TRUE(finds("^(leaf|spine)-[0-9]+$", "spine-12"));
  EXPECT_FALSE(finds("^(leaf|spine)-[0-9]+$", "spine-12 HCA-1"));
  EXPECT_TRUE(finds("[]{(]x{2,3}", "a(xx"));
  EXPECT_TRUE(finds(R"(\(a\))", "(a)"));
}

TEST(Regexp, ReportsTheErrorOfAnInvalidExpression) {
  const auto open = Regexp::compile("(leaf");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, Code::kUsage);
  EXPECT_EQ(open.error().message, "Unmatched ( or \\(");
}

/// For each of these expressions regcomp(3) would need gigabytes, minutes or the whole stack.
TEST(Regexp, RejectsExpressionsThatExpandBeyondTheLimit) {
  for (const std::string& text :
       {"tree-" + times(39, "+") + "host-", std::string("(a|b){1,32767}"),
        std::string("((a{100}){100}){100}"), std::string("(a{,255}){,255}"),
        times(30000, "(") + "a" + times(30000, ")"), times(20000, "a|") + "b", times(5000, "*"),
        "x" + times(64, "{99999999999999999999}"),
        std::string("[[:alpha:]](([]a+]{90}b)+){30,90}")}) {
    const auto compiled = Regexp::compile(text);
    ASSERT_FALSE(compiled) << text.substr(0, 60);
    EXPECT_EQ(compiled.error().message,
              "longer than 4096 characters with its repetitions written out");
  }
}

TEST(Regexp, AcceptsExpressionsUpToTheLimit) {
  EXPECT_TRUE(finds(times(500, "host-12|") + "host-13", "host-13"));
  EXPECT_TRUE(finds(times(4096, "a"), times(5000, "a")));
  EXPECT_FALSE(Regexp::compile(times(4097, "a")));
  EXPECT_TRUE(finds("a{1000}", times(1000, "a")));
  EXPECT_TRUE(finds("[+*?{(]{9}", "+*?{(+*?{"));  // no operators within brackets
}

}  // namespace
}  // namespace weft
