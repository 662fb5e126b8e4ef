// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Properties of assigned LIDs for random wanted ranges: ranges are aligned, disjoint and unicast; a
// wanted range is kept if possible; an endport without a valid one gets the lowest free range.
#include "fabric/lids.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"
#include "support/tiny.h"

namespace weft {
namespace {

constexpr std::uint64_t kSeed = 3;

Fabric two_switches() { return Tiny(2).link(0, 1).hosts(0, 5).hosts(1, 5).build(); }

TEST(Lids, AreAlignedDisjointAndAsWantedIfPossible) {
  const Fabric fabric = two_switches();
  Rng rng(kSeed);
  unsigned met = 0, misaligned = 0;
  for (unsigned drawn = 0; drawn < 2000; ++drawn) {
    const auto lmc = static_cast<std::uint8_t>(rng.below(4));
    std::vector<LidRange> wanted(fabric.endport_count());
    for (LidRange& range : wanted) {
      if (rng.chance(0.2)) continue;
      const std::uint64_t top = rng.chance(0.1) ? 0x10000 : 40;
      range.base = Lid(static_cast<std::uint16_t>(rng.below(top)));
      range.lmc = rng.chance(0.8) ? lmc : static_cast<std::uint8_t>(rng.below(4));
    }
    const auto given = assign_lids(fabric, wanted, {.lmc = lmc});
    ASSERT_TRUE(given) << given.error().message;
    std::set<unsigned> taken;  // in the order of endports
    for (std::uint32_t e = 0; e < given->size(); ++e) {
      const LidRange& range = (*given)[e];
      const bool is_switch = fabric.is_switch(fabric.endport(EndportId(e)).node);
      const unsigned count = 1u << range.lmc;
      ASSERT_EQ(range.lmc, is_switch ? 0 : lmc);
      ASSERT_NE(range.base, kLidNone);
      ASSERT_EQ(range.base.value() % count, 0u)
          << "endport " << e << ", draw " << drawn << " of seed " << kSeed;
      ASSERT_LE(range.base.value() + count - 1, kLidUnicastLast.value());
      for (unsigned i = 0; i < count; ++i)
        ASSERT_TRUE(taken.insert(range.base.value() + i).second)
            << "draw " << drawn << " of seed " << kSeed;
      if (wanted[e].base != kLidNone && wanted[e].base.value() % count != 0) ++misaligned;
      if (range == wanted[e]) ++met;
    }
  }
  EXPECT_GT(met, 1000u);
  EXPECT_GT(misaligned, 1000u);
}

TEST(Lids, DropAMisalignedWantedRange) {
  const Fabric fabric = two_switches();
  std::vector<LidRange> wanted(fabric.endport_count());
  wanted[2] = {Lid(6), 2};
  wanted[3] = {Lid(8), 2};
  const auto given = assign_lids(fabric, wanted, {.lmc = 2});
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)[2], (LidRange{Lid(4), 2}));
  EXPECT_EQ((*given)[3], (LidRange{Lid(8), 2}));
}

TEST(Lids, GoToTheFirstOfTwoEndportsThatWantTheSame) {
  const Fabric fabric = two_switches();
  std::vector<LidRange> wanted(fabric.endport_count());
  wanted[4] = wanted[5] = {Lid(77), 0};
  const auto given = assign_lids(fabric, wanted, {});
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)[4].base, Lid(77));
  EXPECT_LT((*given)[5].base, Lid(77));
}

}  // namespace
}  // namespace weft
