// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Properties of assigned LIDs for random requested ranges. Assigned ranges are aligned, disjoint
// and unicast. A valid requested range is assigned unless it overlaps a range of an earlier
// endport; the other endports get the lowest free ranges.
#include "fabric/lids.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

#include "base/rng.h"
#include "support/tiny.h"

namespace weft {
namespace {

constexpr std::uint64_t kSeed = 3;

/// The ranges that assign_lids() must keep, by EndportId; the others are empty.
std::vector<LidRange> kept_ranges(const Fabric& fabric, const std::vector<LidRange>& wanted,
                                  std::uint8_t lmc) {
  std::vector<LidRange> kept(wanted.size());
  std::set<unsigned> taken;
  for (std::uint32_t e = 0; e < wanted.size(); ++e) {
    const bool is_switch = fabric.is_switch(fabric.endport(EndportId(e)).node);
    const unsigned base = wanted[e].base.value(), count = 1u << wanted[e].lmc;
    if (wanted[e].lmc != (is_switch ? 0 : lmc) || base == 0 || base % count != 0 ||
        base + count - 1 > kLidUnicastLast.value() ||
        taken.lower_bound(base) != taken.lower_bound(base + count))
      continue;
    kept[e] = wanted[e];
    for (unsigned i = 0; i < count; ++i) taken.insert(base + i);
  }
  return kept;
}

Fabric two_switches() { return Tiny(2).link(0, 1).hosts(0, 5).hosts(1, 5).build(); }

TEST(Lids, AreAlignedDisjointAndAsRequestedIfPossible) {
  const Fabric fabric = two_switches();
  Rng rng(kSeed);
  unsigned kept = 0, misaligned = 0;
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
    const std::vector<LidRange> required = kept_ranges(fabric, wanted, lmc);
    std::set<unsigned> taken;  // LIDs of earlier endports
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
      if (required[e].base == kLidNone) continue;
      ASSERT_EQ(range, required[e])
          << "endport " << e << ", draw " << drawn << " of seed " << kSeed;
      ++kept;
    }
  }
  EXPECT_GT(kept, 1000u);
  EXPECT_GT(misaligned, 1000u);
}

TEST(Lids, IgnoreARequestForAMisalignedRange) {
  const Fabric fabric = two_switches();
  std::vector<LidRange> wanted(fabric.endport_count());
  wanted[2] = {Lid(6), 2};
  wanted[3] = {Lid(8), 2};
  const auto given = assign_lids(fabric, wanted, {.lmc = 2});
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)[2], (LidRange{Lid(4), 2}));
  EXPECT_EQ((*given)[3], (LidRange{Lid(8), 2}));
}

TEST(Lids, AreAssignedToTheFirstOfTwoEndportsThatRequestTheSameLid) {
  const Fabric fabric = two_switches();
  std::vector<LidRange> wanted(fabric.endport_count());
  wanted[4] = wanted[5] = {Lid(77), 0};
  const auto given = assign_lids(fabric, wanted, {});
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)[4].base, Lid(77));
  EXPECT_LT((*given)[5].base, Lid(77));
}

TEST(Lids, AcceptRequestsOfUnicastLidsOnly) {
  const Fabric fabric = two_switches();
  for (const auto& [base, lmc, kept] :
       {std::tuple(0xBFFF, 0, true), std::tuple(0xC000, 0, false), std::tuple(0xBFFC, 2, true),
        std::tuple(0xC000, 2, false), std::tuple(0xFFFC, 2, false)}) {
    std::vector<LidRange> wanted(fabric.endport_count());
    wanted[3] = {Lid(static_cast<std::uint16_t>(base)), static_cast<std::uint8_t>(lmc)};
    const auto given = assign_lids(fabric, wanted, {.lmc = static_cast<std::uint8_t>(lmc)});
    ASSERT_TRUE(given);
    EXPECT_EQ((*given)[3] == wanted[3], kept) << base << " " << lmc;
  }
}

TEST(Lids, AreTheLowestFreeLids) {
  const Fabric fabric = Tiny(1).hosts(0, 3).build();
  const auto bases = [&](const LidOptions& options, std::vector<LidRange> wanted = {}) {
    wanted.resize(fabric.endport_count());
    std::vector<unsigned> found;
    const auto assigned = assign_lids(fabric, wanted, options);
    for (const LidRange& range : *assigned) found.push_back(range.base.value());
    return found;
  };
  using List = std::vector<unsigned>;
  EXPECT_EQ(bases({}), (List{1, 2, 3, 4}));
  EXPECT_EQ(bases({.lmc = 1}), (List{1, 2, 4, 6}));
  EXPECT_EQ(bases({.lmc = 7}), (List{1, 128, 256, 384}));
  EXPECT_EQ(bases({.avoid = {{Lid(1), 0}, {Lid(4), 1}}}), (List{2, 3, 6, 7}));
  EXPECT_EQ(bases({}, {{}, {Lid(3), 0}}), (List{1, 3, 2, 4}));
  EXPECT_EQ(bases({.reassign = true}, {{}, {Lid(3), 0}}), (List{1, 2, 3, 4}));
  EXPECT_EQ(bases({.avoid = {{Lid(1), 0}}}, {{Lid(1), 0}}), (List{1, 2, 3, 4}))
      << "an endport that requests an avoided LID gets this LID";
}

TEST(Lids, OfEnhancedSwitchPortsHaveTheLmcIfRequested) {
  for (const bool enhanced : {false, true}) {
    Tiny tiny(1);
    tiny.hosts(0);
    tiny.builder().node(0).enhanced_port0 = enhanced;
    const Fabric fabric = tiny.build();
    const std::vector<LidRange> wanted(fabric.endport_count());
    for (const bool requested : {false, true}) {
      const auto given = assign_lids(fabric, wanted, {.lmc = 2, .lmc_esp0 = requested});
      ASSERT_TRUE(given);
      EXPECT_EQ((*given)[0].lmc, enhanced && requested ? 2 : 0);
      EXPECT_EQ((*given)[1].lmc, 2);
    }
  }
}

// All LIDs but the first are to be avoided. Avoided LIDs are used, because no other LID is free.
TEST(Lids, AvoidedLidsAreUsedIfNoOtherLidIsFree) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  std::vector<LidRange> avoid;
  for (unsigned base = 2; base <= 0xBFFF; ++base)
    avoid.push_back({Lid(static_cast<std::uint16_t>(base)), 0});
  const std::vector<LidRange> wanted(fabric.endport_count());
  const auto given = assign_lids(fabric, wanted, {.avoid = avoid});
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)[0].base, Lid(1));
  EXPECT_EQ((*given)[1].base, Lid(2));
  EXPECT_EQ((*given)[2].base, Lid(3));
}

// LMC 2 applies to the enhanced port 0 of S0 only. An avoided LID is in each aligned range of four,
// so S0 gets a range with an avoided LID, and the other switches must not get a LID of this range.
TEST(Lids, AreDisjointIfARangeContainsAvoidedLids) {
  Tiny tiny(5);
  tiny.builder().node(0).enhanced_port0 = true;
  const Fabric fabric = tiny.build();
  std::vector<LidRange> avoid;
  for (unsigned base = 5; base <= 0xBFFF; base += 4)
    avoid.push_back({Lid(static_cast<std::uint16_t>(base)), 0});
  const std::vector<LidRange> wanted(fabric.endport_count());
  const auto given = assign_lids(fabric, wanted, {.lmc = 2, .lmc_esp0 = true, .avoid = avoid});
  ASSERT_TRUE(given);
  EXPECT_EQ((*given)[0], (LidRange{Lid(4), 2}));
  for (const auto& [endport, base] :
       {std::pair(1u, 1u), std::pair(2u, 2u), std::pair(3u, 3u), std::pair(4u, 8u)})
    EXPECT_EQ((*given)[endport], (LidRange{Lid(static_cast<std::uint16_t>(base)), 0})) << endport;
}

// LIDs 1 to 127 are to be avoided, so the switches get LIDs of the first aligned range of 128.
TEST(Lids, ReassignmentIsAdvisedOnlyIfLidsAreKept) {
  const Fabric fabric = Tiny(2, 254).link(0, 1).hosts(0, 191).hosts(1, 192).build();
  std::vector<LidRange> avoid;
  for (unsigned base = 1; base < 128; ++base)
    avoid.push_back({Lid(static_cast<std::uint16_t>(base)), 0});
  const std::vector<LidRange> wanted(fabric.endport_count());
  const auto error = [&](bool reassign) {
    const auto given =
        assign_lids(fabric, wanted, {.lmc = 7, .reassign = reassign, .avoid = avoid});
    return given ? std::string() : given.error().message;
  };
  EXPECT_TRUE(error(true).ends_with("the LIDs of other ports leave no aligned range of 128"))
      << error(true);
  EXPECT_TRUE(error(false).ends_with("leave no aligned range of 128; reassign all LIDs (-r)"))
      << error(false);
}

}  // namespace
}  // namespace weft
