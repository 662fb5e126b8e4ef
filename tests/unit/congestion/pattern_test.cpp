// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Patterns: the figures of the ORCS report, level by level, and the properties of the patterns for
// 0 to 33 ranks.
#include "congestion/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/check.h"
#include "support/errors.h"

namespace weft {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;
using Levels = std::vector<std::vector<Pair>>;

Pattern made(const std::string& name, std::uint32_t ranks) {
  PatternSpec spec;
  spec.name = name;
  const auto pattern = make_pattern(spec, {ranks, {}, Rng(3), nullptr, {}});
  CHECK(pattern.has_value());
  return *pattern;
}

std::vector<Pair> level(const Pattern& pattern, std::uint64_t l) {
  std::vector<Flow> flows{{99, 99}};  // existing content is replaced
  pattern.fill(l, flows);
  std::vector<Pair> pairs;
  for (const Flow& flow : flows) pairs.emplace_back(flow.from, flow.to);
  return pairs;
}

Levels levels(const Pattern& pattern) {
  Levels all;
  for (std::uint64_t l = 0; l < pattern.levels; ++l) all.push_back(level(pattern, l));
  return all;
}

Levels levels(const std::string& name, std::uint32_t ranks) { return levels(made(name, ranks)); }

std::string error_of(const std::string& name) {
  PatternSpec spec;
  spec.name = name;
  return error_of(make_pattern(spec, {8, {}, Rng(3), nullptr, {}}));
}

// Figure 6 of the ORCS report.
TEST(Pattern, TreeOfEightRanksEqualsTheFigureOfTheOrcsReport) {
  EXPECT_EQ(levels("tree", 8),
            (Levels{{{0, 1}}, {{0, 2}, {1, 3}}, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}}));
}

// Figure 1 of the ORCS report.
TEST(Pattern, BruckOfEightRanksEqualsTheFigureOfTheOrcsReport) {
  const Levels bruck = levels("bruck", 8);
  ASSERT_EQ(bruck.size(), 3u);
  for (std::uint32_t l = 0; l < 3; ++l)
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(bruck[l][i], Pair(i, (i + (1u << l)) % 8));
}

// Figure 2 of the ORCS report: exchanges between ranks at distance 1, 2 and 4.
TEST(Pattern, RecursiveDoublingOfEightRanksEqualsTheFigureOfTheOrcsReport) {
  const std::vector<Pair> first{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, 5}, {5, 4}, {6, 7}, {7, 6}};
  const std::vector<Pair> second{{0, 2}, {1, 3}, {2, 0}, {3, 1}, {4, 6}, {5, 7}, {6, 4}, {7, 5}};
  const std::vector<Pair> third{{0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 0}, {5, 1}, {6, 2}, {7, 3}};
  EXPECT_EQ(levels("recdbl", 8), (Levels{first, second, third}));
}

TEST(Pattern, RecursiveDoublingSendsToRanksBeyondThePowerOfTwo) {
  EXPECT_EQ(levels("recdbl", 5),
            (Levels{{{0, 1}, {1, 0}, {2, 3}, {3, 2}}, {{0, 2}, {1, 3}, {2, 0}, {3, 1}}, {{0, 4}}}));
}

// Section 4 of the ORCS report: {(0, 1), (2, 3), (4, 5)}. The odd rank sends, according to
// section 2.4.
TEST(Pattern, BisectPairsOddWithEven) {
  EXPECT_EQ(levels("bisect", 6), (Levels{{{1, 0}, {3, 2}, {5, 4}}}));
  EXPECT_EQ(levels("bisect_fb_sym", 4), (Levels{{{1, 0}, {3, 2}, {0, 1}, {2, 3}}}));
  EXPECT_EQ(levels("bisect", 7), levels("bisect", 6));
  EXPECT_THAT(
      made("bisect", 7).notes,
      testing::ElementsAre("pattern bisect: 7 ranks: an odd number, so the last rank is idle"));
  EXPECT_THAT(made("bisect", 6).notes, testing::IsEmpty());
}

TEST(Pattern, GatherScatterRingNullAndShiftHaveTheExpectedMessages) {
  EXPECT_EQ(levels("gather", 4), (Levels{{{1, 0}, {2, 0}, {3, 0}}}));
  EXPECT_EQ(levels("scatter", 4), (Levels{{{0, 1}, {0, 2}, {0, 3}}}));
  EXPECT_EQ(levels("ring", 3), (Levels{{{0, 1}}, {{1, 2}}, {{2, 0}}}));
  EXPECT_EQ(levels("null", 9), Levels{});
  EXPECT_EQ(levels("shift", 3), (Levels{{{0, 1}, {1, 2}, {2, 0}}, {{0, 2}, {1, 0}, {2, 1}}}));
}

TEST(Pattern, AssignsNeighborsFromRankZeroUp) {
  // Rank 0 has neighbors 1 and 2. Rank 1 gets a second neighbor, rank 2. Rank 2 then has two
  // neighbors, so ranks 3 and 4 are neighbors of each other.
  EXPECT_EQ(levels("2neighbor", 5),
            (Levels{{{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}, {3, 4}, {4, 3}}}));
  EXPECT_EQ(levels("neighbor:2", 5), levels("2neighbor", 5));
  EXPECT_EQ(levels("neighbor:6", 40), levels("6neighbor", 40));
  EXPECT_EQ(levels("neighbor:4", 41), levels("4neighbor", 41));
}

// Positions of the ranks:
// 0 1 2
// 3 4 .
TEST(Pattern, Neighbor2dWrapsAroundAndSkipsPlacesWithoutARank) {
  const auto pairs = levels("neighbor2d", 5)[0];
  const std::set<Pair> all(pairs.begin(), pairs.end());
  EXPECT_EQ(all.size(), pairs.size());
  EXPECT_EQ(all, (std::set<Pair>{{0, 1},
                                 {0, 2},
                                 {0, 3},
                                 {1, 2},
                                 {1, 0},
                                 {1, 4},
                                 {2, 0},
                                 {2, 1},
                                 {3, 4},
                                 {3, 0},
                                 {4, 3},
                                 {4, 1}}));
}

TEST(Pattern, StencilHasOneLevelPerDirection) {
  EXPECT_EQ(levels("stencil2d:3x2", 6), (Levels{{{0, 1}, {1, 2}, {3, 4}, {4, 5}},
                                                {{1, 0}, {2, 1}, {4, 3}, {5, 4}},
                                                {{0, 3}, {1, 4}, {2, 5}},
                                                {{3, 0}, {4, 1}, {5, 2}}}));
  EXPECT_EQ(levels("stencil2d:3x1,wrap", 3)[0], (std::vector<Pair>{{0, 1}, {1, 2}, {2, 0}}));
  const Levels cube = levels("stencil3d:2x3x4,wrap", 30);
  ASSERT_EQ(cube.size(), 6u);
  for (const auto& pairs : cube) EXPECT_EQ(pairs.size(), 24u);
  EXPECT_THAT(made("stencil3d:2x3x4", 30).notes, testing::SizeIs(1));
}

TEST(Pattern, PatternVersusPatternMergesBothAndRepeatsTheSecond) {
  PatternSpec spec{"ptrnvsptrn", "ring", "tree", 3};
  const auto pattern = make_pattern(spec, {7, {}, Rng(3), nullptr, {}});
  ASSERT_TRUE(pattern);
  EXPECT_EQ(levels(*pattern),
            (Levels{{{0, 1}, {3, 4}}, {{1, 2}, {3, 5}, {4, 6}}, {{2, 0}, {3, 4}}}));
  EXPECT_EQ(pattern->first_ranks, 3u);
  spec.second = "null";
  EXPECT_EQ(levels(*make_pattern(spec, {7, {}, Rng(3), nullptr, {}})), levels("ring", 3));
  spec.first = "null";
  spec.second = "ring";
  EXPECT_EQ(levels(*make_pattern(spec, {7, {}, Rng(3), nullptr, {}})), Levels{});
  spec.first_ranks = 8;
  EXPECT_THAT(make_pattern(spec, {7, {}, Rng(3), nullptr, {}}).error().message,
              testing::HasSubstr("found 8 ranks for the first pattern, expected at most the 7"));
}

TEST(Pattern, ReportsInvalidPatterns) {
  EXPECT_THAT(error_of("brook"), testing::HasSubstr("found 'brook', expected one of rand, null,"));
  EXPECT_THAT(error_of("bruck:3"), testing::HasSubstr("pattern bruck: found '3' behind the name"));
  EXPECT_THAT(error_of("neighbor"), testing::HasSubstr("expected the number of neighbors"));
  EXPECT_THAT(error_of("receivers:5"), testing::HasSubstr("expected a number from 1 to 4 with 8"));
  EXPECT_THAT(error_of("stencil2d:3x3"), testing::HasSubstr("more places than the 8 ranks"));
  EXPECT_THAT(error_of("stencil2d:3"), testing::HasSubstr("expected XxY such as 8x8"));
  EXPECT_THAT(error_of("stencil3d:2x2x0"), testing::HasSubstr("expected XxYxZ"));
  EXPECT_THAT(error_of("trace"), testing::HasSubstr("expected trace:FILE"));
  EXPECT_THAT(error_of("trace:/no/such"), testing::HasSubstr("/no/such"));
  EXPECT_THAT(error_of("adversarial"), testing::HasSubstr("requires a network"));
}

class PatternOfRanks : public testing::TestWithParam<std::uint32_t> {};

/// Number of messages that each rank sends and receives in a level.
struct Degrees {
  std::vector<unsigned> out, in;
  Degrees(const std::vector<Pair>& pairs, std::uint32_t ranks) : out(ranks), in(ranks) {
    for (const auto& [from, to] : pairs) {
      EXPECT_LT(from, ranks);
      EXPECT_LT(to, ranks);
      EXPECT_NE(from, to);
      ++out[from];
      ++in[to];
    }
  }
};

TEST_P(PatternOfRanks, PermutationsSendAndReceiveOnce) {
  const std::uint32_t n = GetParam();
  const std::vector<unsigned> once(n, n < 2 ? 0 : 1);
  for (const char* name : {"rand", "bruck", "shift"})
    for (const auto& pairs : levels(name, n)) {
      const Degrees degrees(pairs, n);
      EXPECT_EQ(degrees.out, once) << name;
      EXPECT_EQ(degrees.in, once) << name;
    }
}

TEST_P(PatternOfRanks, TreesReachEachRankOnceFromARankReachedBefore) {
  const std::uint32_t n = GetParam();
  std::vector<bool> has(n);
  if (n > 0) has[0] = true;
  const Levels tree = levels("tree", n);
  EXPECT_EQ(tree.size(), n <= 1 ? 0u : static_cast<unsigned>(std::bit_width(n - 1)));
  for (const auto& pairs : tree) {
    const std::vector<bool> before = has;
    for (const auto& [from, to] : pairs) {
      EXPECT_TRUE(before[from]);
      EXPECT_FALSE(has[to]);
      has[to] = true;
    }
  }
  EXPECT_EQ(std::ranges::count(has, true), n);
}

// After an allreduce, each of the first 2^k ranks has the data of all these ranks, and each
// remaining rank receives the data of 2^k ranks. The test compares the numbers of ranks.
TEST_P(PatternOfRanks, RecursiveDoublingDistributesAllDataWithinThePowerOfTwo) {
  const std::uint32_t n = GetParam();
  std::vector<std::set<std::uint32_t>> data_of(n);
  for (std::uint32_t i = 0; i < n; ++i) data_of[i] = {i};
  for (const auto& pairs : levels("recdbl", n)) {
    const auto before = data_of;
    for (const auto& [from, to] : pairs)
      data_of[to].insert(before[from].begin(), before[from].end());
  }
  const std::uint32_t p = n == 0 ? 0 : std::bit_floor(n);
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_GE(data_of[i].size(), p);
}

TEST_P(PatternOfRanks, BruckDistributesAllDataToAllRanks) {
  const std::uint32_t n = GetParam();
  std::vector<std::set<std::uint32_t>> data_of(n);
  for (std::uint32_t i = 0; i < n; ++i) data_of[i] = {i};
  for (const auto& pairs : levels("bruck", n)) {
    const auto before = data_of;
    for (const auto& [from, to] : pairs)
      data_of[to].insert(before[from].begin(), before[from].end());
  }
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(data_of[i].size(), n);
}

TEST_P(PatternOfRanks, AlltoallPairsEveryTwoRanksOnceAndNoRankTwiceInALevel) {
  const std::uint32_t n = GetParam();
  for (const char* name : {"alltoall", "shift"}) {
    std::set<Pair> met;
    for (const auto& pairs : levels(name, n)) {
      const Degrees degrees(pairs, n);
      EXPECT_LE(n == 0 ? 0 : std::ranges::max(degrees.out), 1u);
      EXPECT_LE(n == 0 ? 0 : std::ranges::max(degrees.in), 1u);
      for (const Pair& pair : pairs) EXPECT_TRUE(met.insert(pair).second) << name;
    }
    EXPECT_EQ(met.size(), n < 2 ? 0 : std::size_t{n} * (n - 1)) << name;
  }
}

TEST_P(PatternOfRanks, NeighborsAreMutualAndNotMoreThanTheDegree) {
  const std::uint32_t n = GetParam();
  for (const auto& [name, most] :
       {std::pair("2neighbor", 2u), std::pair("4neighbor", 4u), std::pair("6neighbor", 6u),
        std::pair("neighbor:3", 3u), std::pair("neighbor2d", 4u)})
    for (const auto& pairs : levels(name, n)) {
      const std::set<Pair> all(pairs.begin(), pairs.end());
      EXPECT_EQ(all.size(), pairs.size()) << name;
      for (const auto& [from, to] : all) EXPECT_TRUE(all.contains({to, from})) << name;
      const Degrees degrees(pairs, n);
      for (const unsigned out : degrees.out) EXPECT_LE(out, most) << name;
      if (std::string_view(name) == "neighbor2d") continue;
      // A rank has fewer neighbors than the degree only if all its non-neighbors have the full
      // degree.
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = i + 1; j < n; ++j)
          EXPECT_TRUE(degrees.out[i] == most || degrees.out[j] == most || all.contains({i, j}))
              << name << " " << i << " " << j;
    }
}

TEST_P(PatternOfRanks, SendersAreDistributedEquallyAmongReceivers) {
  const std::uint32_t n = GetParam();
  for (const std::uint32_t receivers : {1u, 3u}) {
    if (receivers > std::max(1u, n / 2)) continue;
    const auto pairs = levels("receivers:" + std::to_string(receivers), n).at(0);
    const Degrees degrees(pairs, n);
    for (std::uint32_t i = 0; i < n && n > 1; ++i) {
      EXPECT_EQ(degrees.out[i], i < receivers ? 0u : 1u);
      EXPECT_EQ(degrees.in[i], i >= receivers ? 0u
                                              : (n - receivers) / receivers +
                                                    (i < (n - receivers) % receivers ? 1 : 0));
    }
  }
}

TEST_P(PatternOfRanks, AlltoallvSendsToAtMostEightDifferentRanks) {
  const std::uint32_t n = GetParam();
  const auto pairs = levels("alltoallv", n).at(0);
  EXPECT_EQ(std::set<Pair>(pairs.begin(), pairs.end()).size(), pairs.size());
  for (const unsigned out : Degrees(pairs, n).out) EXPECT_LE(out, 8u);
}

TEST_P(PatternOfRanks, EveryPatternUsesOnlyExistingRanksAndIsReproducible) {
  const std::uint32_t n = GetParam();
  for (const PatternKind& kind : pattern_kinds()) {
    if (kind.name == "trace" || kind.name == "adversarial") continue;
    const std::string argument = kind.argument.empty()      ? ""
                                 : kind.name == "stencil2d" ? ":1x1"
                                 : kind.name == "stencil3d" ? ":1x1x1"
                                                            : ":1";
    if (n == 0 && kind.name.starts_with("stencil")) continue;
    const std::string name = std::string(kind.name) + argument;
    for (const auto& pairs : levels(name, n)) Degrees(pairs, n);
    EXPECT_EQ(levels(name, n), levels(name, n)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, PatternOfRanks,
                         testing::Values(0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 16u, 21u, 33u));

}  // namespace
}  // namespace weft
