// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Layout of P_Key tables. The expected tables were written by OpenSM 3.3.23.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "sm/partitions/partitions.h"

namespace weft {
namespace {

using enum Membership;
using Layout = std::vector<std::uint16_t>;

Layout numbers(const std::vector<Pkey>& pkeys) {
  Layout table;
  for (const Pkey pkey : pkeys) table.push_back(pkey.value());
  return table;
}

std::vector<Pkey> pkeys(const Layout& table) {
  std::vector<Pkey> list;
  for (const std::uint16_t pkey : table) list.push_back(Pkey(pkey));
  return list;
}

struct Rules {
  bool allow_both = false;
  bool keep = true;
  std::size_t capacity = 64;
};

Layout lay_out(const PortPartitions& partitions, const Layout& held, const Rules& rules = {}) {
  return numbers(
      lay_out_pkeys(partitions, pkeys(held), rules.capacity, rules.allow_both, rules.keep).table);
}

/// A port that is a limited member of three partitions and of the default partition.
PortPartitions limited_in_three() {
  return {{{0x10, kLimited}, {0x20, kLimited}, {0x30, kLimited}, {0x7FFF, kLimited}}, 0};
}

TEST(PkeyLayout, TheDefaultPkeyIsBeforeTheOthers) {
  EXPECT_EQ(lay_out(limited_in_three(), {0xFFFF}), (Layout{0x7FFF, 0x10, 0x20, 0x30}));
  EXPECT_EQ(lay_out(limited_in_three(), {}), (Layout{0x7FFF, 0x10, 0x20, 0x30}));
}

TEST(PkeyLayout, OrdersByTheLowByte) {
  const PortPartitions some{{{0x3, kFull}, {0x80, kLimited}, {0x300, kLimited}, {0x7FFF, kFull}},
                            0};
  EXPECT_EQ(lay_out(some, {0xFFFF}), (Layout{0xFFFF, 0x300, 0x8003, 0x80}));
}

TEST(PkeyLayout, KeepsHeldEntriesAndLeavesGaps) {
  const PortPartitions two{{{0x10, kLimited}, {0x30, kLimited}, {0x7FFF, kLimited}}, 0};
  const Layout held{0x7FFF, 0x10, 0x20, 0x30};
  EXPECT_EQ(lay_out(two, held), (Layout{0x7FFF, 0x10, 0, 0x30}));
  EXPECT_EQ(lay_out(two, held, {.keep = false}), (Layout{0x7FFF, 0x10, 0x30}));
  const PortPartitions more{
      {{0x5, kLimited}, {0x10, kFull}, {0x30, kLimited}, {0x50, kLimited}, {0x7FFF, kLimited}}, 0};
  EXPECT_EQ(lay_out(more, {0x7FFF, 0x10, 0, 0x30}), (Layout{0x7FFF, 0x8010, 0, 0x30, 0x5, 0x50}));
}

TEST(PkeyLayout, Indx0HasTheFirstEntry) {
  PortPartitions ports = limited_in_three();
  ports.index0 = 0x30;
  EXPECT_EQ(lay_out(ports, {0x7FFF, 0x10, 0x20, 0x30}), (Layout{0x30, 0x10, 0x20, 0x7FFF}));
  ports.index0 = 0x10;
  EXPECT_EQ(lay_out(ports, {0x30, 0x10, 0x20, 0x7FFF}), (Layout{0x10, 0, 0x20, 0x7FFF, 0x30}));
  ports.index0 = 0;
  EXPECT_EQ(lay_out(ports, {0x10, 0, 0x20, 0x7FFF, 0x30}),
            (Layout{0x7FFF, 0, 0x20, 0, 0x30, 0x10}));
}

TEST(PkeyLayout, BothMembershipsAreTwoEntriesIfAllowed) {
  const PortPartitions ports{{{0x10, kBoth}, {0x20, kBoth}, {0x7FFF, kLimited}}, 0};
  EXPECT_EQ(lay_out(ports, {0xFFFF}), (Layout{0x7FFF, 0x8010, 0x8020}));
  EXPECT_EQ(lay_out(ports, {0xFFFF}, {.allow_both = true}),
            (Layout{0, 0x10, 0x8010, 0x20, 0x8020, 0x7FFF}));
  EXPECT_EQ(lay_out(ports, {0x7FFF, 0x8010, 0, 0x20}, {.allow_both = true}),
            (Layout{0x7FFF, 0x8010, 0, 0x20, 0x10, 0x8020}));
  // Only one of two entries is allowed again: the first valid entry stays.
  EXPECT_EQ(lay_out(ports, {0, 0x10, 0x8010, 0x20, 0x8020, 0x7FFF}),
            (Layout{0x7FFF, 0x8010, 0, 0x8020}));
}

TEST(PkeyLayout, FullDefaultPkeyStaysFirstIfBothAreAllowed) {
  const PortPartitions both{{{0x7FFF, kBoth}}, 0};
  EXPECT_EQ(lay_out(both, {0xFFFF}, {.allow_both = true}), (Layout{0xFFFF, 0x7FFF}));
  EXPECT_EQ(lay_out(both, {0x7FFF}, {.allow_both = true}), (Layout{0xFFFF, 0x7FFF}));
  const PortPartitions first{{{0x10, kBoth}, {0x7FFF, kLimited}}, 0x10};
  EXPECT_EQ(lay_out(first, {0x7FFF, 0x10}, {.allow_both = true}), (Layout{0x10, 0x8010, 0x7FFF}));
}

TEST(PkeyLayout, GapsAreFilledOnceTheEndIsReached) {
  const PortPartitions ports{
      {{0x3, kLimited}, {0x4, kLimited}, {0x5, kLimited}, {0x105, kLimited}, {0x7FFF, kLimited}},
      0};
  const Layout held{0x7FFF, 0x100, 0x101, 0x102, 0x103, 0x104, 0x5, 0x105};
  EXPECT_EQ(lay_out(ports, held, {.capacity = 8}), (Layout{0x7FFF, 0x3, 0x4, 0, 0, 0, 0x5, 0x105}));
}

TEST(PkeyLayout, ReportsPkeysThatDoNotFit) {
  const PkeyLayout layout = lay_out_pkeys(limited_in_three(), {}, 3, false, true);
  EXPECT_EQ(numbers(layout.table), (Layout{0x7FFF, 0x10, 0x20}));
  EXPECT_EQ(numbers(layout.left_out), (Layout{0x30}));
  EXPECT_EQ(lay_out_pkeys(limited_in_three(), pkeys({0xFFFF}), 0, true, true).left_out.size(), 4u);
}

TEST(PkeyLayout, FiltersHaveNoGapsAndPreferFullMembers) {
  const auto filtered = [](const Layout& table) { return numbers(filter_table(pkeys(table))); };
  EXPECT_EQ(filtered({0x7FFF, 0, 0x10, 0, 0x8030}), (Layout{0x7FFF, 0x10, 0x8030}));
  EXPECT_EQ(filtered({0, 0x10, 0x20, 0x7FFF, 0x8010}), (Layout{0x20, 0x7FFF, 0x8010}));
  EXPECT_TRUE(filtered({}).empty());
}

/// For random current tables: the table and the P_Keys left out have as many P_Keys as the
/// partitions require, none twice; if tables are kept and both memberships are allowed, P_Keys
/// beyond index 0 keep their index; a second layout changes nothing.
TEST(PkeyLayout, HasEachPkeyOnceAndKeepsIndexesForRandomTables) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Rng rng(seed);
    PortPartitions ports;
    for (std::uint16_t base = 1; base < 12; ++base)
      if (rng.below(2) == 0) ports.members.push_back({base, static_cast<Membership>(rng.below(3))});
    if (rng.below(4) != 0) ports.members.push_back({0x7FFF, static_cast<Membership>(rng.below(3))});
    if (!ports.members.empty() && rng.below(3) == 0)
      ports.index0 = ports.members[rng.below(ports.members.size())].base;
    Layout held;
    for (std::uint64_t n = rng.below(24); n-- > 0;)
      held.push_back(static_cast<std::uint16_t>(rng.below(3) * 0x8000 % 0x18000 | rng.below(14)));
    const Rules rules{rng.below(2) == 0, rng.below(4) != 0, rng.below(24)};
    const PkeyLayout layout =
        lay_out_pkeys(ports, pkeys(held), rules.capacity, rules.allow_both, rules.keep);
    std::size_t wanted = 0;
    for (const PortMember& member : ports.members)
      wanted += member.membership == kBoth && rules.allow_both ? 2u : 1u;
    Layout all = numbers(layout.table);
    std::erase(all, 0);
    std::ranges::copy(numbers(layout.left_out), std::back_inserter(all));
    EXPECT_EQ(all.size(), wanted) << "seed " << seed;
    std::ranges::sort(all);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "seed " << seed;
    EXPECT_LE(layout.table.size(), rules.capacity) << "seed " << seed;
    const PkeyLayout again =
        lay_out_pkeys(ports, layout.table, rules.capacity, rules.allow_both, rules.keep);
    EXPECT_EQ(numbers(again.table), numbers(layout.table)) << "seed " << seed;
    if (!rules.keep) continue;
    for (std::size_t i = 1; i < layout.table.size(); ++i) {
      const auto was = std::ranges::find(held, layout.table[i].value());
      if (was == held.end() || was == held.begin() || layout.table[i] == Pkey(0)) continue;
      const auto index = static_cast<std::size_t>(was - held.begin());
      if (index >= rules.capacity || !rules.allow_both) continue;
      EXPECT_EQ(index, i) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace weft
