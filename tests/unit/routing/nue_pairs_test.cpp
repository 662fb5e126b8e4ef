// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The data structures with which nue improves an order of arcs, compared with plain searches.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "routing/nue/pair_counts.h"
#include "routing/nue/placed_arcs.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

/// The arcs of one side of a switch, sorted by position and id.
std::vector<std::uint32_t> sorted_side(const nue::Arcs& arcs, const nue::PlacedArcs& placed,
                                       std::uint32_t sw, bool into) {
  std::vector<std::uint32_t> side;
  for (std::uint32_t a = 0; a < arcs.count(); ++a)
    if ((into ? arcs.head[a] : arcs.tail[a]) == sw) side.push_back(a);
  std::ranges::sort(side, {}, [&](std::uint32_t a) { return std::pair(placed[a], a); });
  return side;
}

void expect_sides(const nue::Arcs& arcs, const nue::PlacedArcs& placed) {
  for (std::uint32_t sw = 0; sw < arcs.switches; ++sw)
    for (const bool into : {true, false}) {
      const auto side = into ? placed.into(sw) : placed.out_of(sw);
      const auto plain = sorted_side(arcs, placed, sw, into);
      ASSERT_EQ(std::vector(side.arc, side.arc + side.count), plain);
      for (std::uint32_t i = 0; i < side.count; ++i)
        ASSERT_EQ(side.sw[i], into ? arcs.tail[plain[i]] : arcs.head[plain[i]]);
    }
  for (std::uint32_t a = 0; a < arcs.count(); ++a) {
    const auto before = [&](std::uint32_t in) { return placed[in] < placed[a]; };
    const auto passed = [&](std::uint32_t out) { return placed[out] <= placed[a]; };
    ASSERT_EQ(placed.before(a),
              std::ranges::count_if(sorted_side(arcs, placed, arcs.tail[a], true), before));
    ASSERT_EQ(placed.passed(a),
              std::ranges::count_if(sorted_side(arcs, placed, arcs.head[a], false), passed));
  }
}

/// Whether an arc that forms a turn with `arc` has the position `place`.
bool is_taken(const nue::Arcs& arcs, const nue::PlacedArcs& placed, std::uint32_t arc,
              nue::Place place) {
  for (std::uint32_t a = 0; a < arcs.count(); ++a)
    if (placed[a] == place && (arcs.head[a] == arcs.tail[arc] || arcs.tail[a] == arcs.head[arc]))
      return true;
  return false;
}

TEST(NuePlacedArcs, StaySortedAtEachSwitchWhilePositionsChange) {
  for (const char* spec : {"ring:n=6", "random:n=20,degree=6,seed=3", "full:n=5"}) {
    const nue::Arcs arcs(fabric_of(spec));
    Rng rng(5);
    nue::PlacedArcs placed(arcs);
    placed.start(rng.permutation(arcs.count()));
    expect_sides(arcs, placed);
    std::vector<std::uint32_t> by_place(arcs.count());
    for (unsigned round = 0; round < 300; ++round) {
      const auto arc = static_cast<std::uint32_t>(rng.below(arcs.count()));
      // Only few positions are used, so many arcs that form no turn have the same position.
      const nue::Place place = placed.at(rng.below(arcs.count() / 2)) + 7;
      if (!is_taken(arcs, placed, arc, place)) placed.move(arc, place);
      if (round % 20 == 0) expect_sides(arcs, placed);
    }
    std::iota(by_place.begin(), by_place.end(), 0u);
    std::ranges::sort(by_place, {}, [&](std::uint32_t a) { return std::pair(placed[a], a); });
    const auto renumbered = placed.renumber();
    EXPECT_EQ(std::vector(renumbered.begin(), renumbered.end()), by_place) << spec;
    for (std::uint32_t i = 0; i < arcs.count(); ++i) EXPECT_EQ(placed[by_place[i]], placed.at(i));
    expect_sides(arcs, placed);
  }
}

/// Expects that the rows of bits agree with the counts.
void expect_rows(const nue::PairCounts& counts, std::uint32_t switches) {
  const auto bit = [](const std::uint64_t* row, std::uint32_t sw) {
    return (row[sw / 64] >> sw % 64 & 1) != 0;
  };
  for (std::uint32_t from = 0; from < switches; ++from)
    for (std::uint32_t to = 0; to < switches; ++to)
      for (const bool three : {false, true}) {
        const bool none = counts.has(from, to, three, 0);
        const bool few = none || counts.has(from, to, three, 1);
        ASSERT_EQ(bit(counts.to(to, three).none, from), none);
        ASSERT_EQ(bit(counts.to(to, three).few, from), few);
        ASSERT_EQ(bit(counts.from(from, three).none, to), none);
        ASSERT_EQ(bit(counts.from(from, three).few, to), few);
      }
}

TEST(NuePairCounts, KeepRowsOfThePairsWithFewPaths) {
  constexpr std::uint32_t kSwitches = 70;  // so that a row of bits has two words
  Rng rng(8);
  nue::PairCounts counts;
  counts.resize(kSwitches);
  // By source and destination: the hops, or 0 if the pair is not counted, and the number of paths.
  std::vector<std::pair<unsigned, unsigned>> plain(kSwitches * kSwitches);
  for (std::uint32_t i = 0; i < plain.size(); ++i) {
    const std::uint64_t kind = rng.below(3);
    if (kind > 0) counts.include(i / kSwitches, i % kSwitches, kind == 2);
    plain[i].first = kind == 0 ? 0 : static_cast<unsigned>(kind) + 1;
  }
  for (std::uint32_t i = 0; i < plain.size(); ++i)
    for (std::uint64_t n = rng.below(4); n > 0 && plain[i].first > 0; --n, ++plain[i].second)
      counts.count(i / kSwitches, i % kSwitches, plain[i].first == 3);
  counts.index_rows();
  expect_rows(counts, kSwitches);
  for (unsigned round = 0; round < 20000; ++round) {
    const auto i = static_cast<std::uint32_t>(rng.below(plain.size()));
    auto& [hops, paths] = plain[i];
    const bool more = rng.chance(0.5);
    const bool three = rng.chance(0.5);
    const bool applies = hops == (three ? 3u : 2u);
    if (applies && !more && paths == 0) continue;
    counts.change(i / kSwitches, i % kSwitches, three, more);
    if (applies) paths = more ? paths + 1 : paths - 1;
  }
  expect_rows(counts, kSwitches);
  for (std::uint32_t i = 0; i < plain.size(); ++i) {
    const auto [hops, paths] = plain[i];
    ASSERT_EQ(counts.counts(i / kSwitches, i % kSwitches), hops > 0);
    if (hops > 0) {
      ASSERT_TRUE(counts.has(i / kSwitches, i % kSwitches, hops == 3, paths));
    }
  }
}

}  // namespace
}  // namespace weft
