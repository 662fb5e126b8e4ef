// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace weft {
namespace {

constexpr std::array<std::string_view, 6> kNames{"routing_engine", "route",    "report",
                                                 "fattree2",       "fattree3", "lmc"};

TEST(Nearest, CountsEachChangeAndEachSwapAsOne) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("rout", "route"), 1u);
  EXPECT_EQ(edit_distance("fattre3", "fattree3"), 1u);
  EXPECT_EQ(edit_distance("minhpo", "minhop"), 1u);
  EXPECT_EQ(edit_distance("dump-files", "dump_files"), 0u);
  EXPECT_EQ(edit_distance("LMC", "lmc"), 0u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);
}

TEST(Nearest, SuggestsTheNameWithTheFewestChanges) {
  EXPECT_EQ(nearest("rout", kNames), "route");
  EXPECT_EQ(nearest("fattre3", kNames), "fattree3");
  EXPECT_EQ(nearest("fatree2", kNames), "fattree2");
  EXPECT_EQ(did_you_mean("rout", kNames), ": did you mean 'route'");
}

TEST(Nearest, SuggestsANameThatContainsTheWord) {
  EXPECT_EQ(nearest("engine", kNames), "routing_engine");
}

TEST(Nearest, SuggestsNothingWithoutASimilarName) {
  EXPECT_EQ(nearest("bandwidth", kNames), "");
  EXPECT_EQ(nearest("x", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(5000, 'a'), kNames), "");
  EXPECT_EQ(did_you_mean("bandwidth", kNames), "");
}

}  // namespace
}  // namespace weft
