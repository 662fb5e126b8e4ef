// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forwarding tables, adaptive entries and SLs of paths as values.
#include <gtest/gtest.h>

#include <vector>

#include "routes/adaptive.h"
#include "routes/lfts.h"
#include "routes/lid_copies.h"
#include "routes/path_sl.h"
#include "support/tiny.h"

namespace weft {
namespace {

PortMask mask_of(std::initializer_list<unsigned> ports) {
  PortMask mask;
  for (const unsigned port : ports) mask.set(port);
  return mask;
}

TEST(Lfts, HaveWholeBlocksUpToTheTopLid) {
  for (const auto& [top, blocks] : {std::pair(0, 1u), std::pair(63, 1u), std::pair(64, 2u),
                                    std::pair(127, 2u), std::pair(128, 3u)}) {
    const Lid last(static_cast<std::uint16_t>(top));
    Lfts lfts(2, last);
    EXPECT_EQ(lfts.switch_count(), 2u);
    EXPECT_EQ(lfts.top(), last);
    EXPECT_EQ(lfts.blocks(), blocks);
    EXPECT_EQ(lfts.row(kS1).size(), 64 * blocks);
    for (unsigned lid = 0; lid < 64 * blocks + 2; ++lid)
      EXPECT_EQ(lfts.port(kS1, Lid(static_cast<std::uint16_t>(lid))), kNoRoute);
    lfts.set(kS0, last, PortNum(7));
    EXPECT_EQ(lfts.port(kS0, last), PortNum(7));
    EXPECT_EQ(lfts.port(kS1, last), kNoRoute);
    EXPECT_EQ(lfts.block(kS0, blocks - 1)[top % kLftBlock], 7);
    EXPECT_EQ(lfts.block(kS0, blocks - 1).size(), kLftBlock);
    EXPECT_NE(lfts, Lfts(2, last));
    lfts.set(kS0, last, kNoRoute);
    EXPECT_EQ(lfts, Lfts(2, last));
    EXPECT_EQ(Lfts::unwritten(2, last).blocks(), blocks);
  }
}

TEST(ArTables, HoldGroupsAndEntries) {
  ArTables tables(2, Lid(10));
  EXPECT_FALSE(tables.is_set(kS0));
  EXPECT_EQ(tables.entry(kS0, Lid(3)), ArEntry{});
  EXPECT_EQ(tables.group_of(kS0, Lid(3)), nullptr);
  EXPECT_EQ(tables.add_group(kS0, mask_of({1, 2})), 0);
  EXPECT_EQ(tables.add_group(kS0, mask_of({3})), 1);
  EXPECT_EQ(tables.add_group(kS1, mask_of({4, 255})), 0);
  tables.set(kS0, Lid(3), {ArState::kStatic, 0});
  EXPECT_FALSE(tables.is_set(kS0)) << "static entries take no memory";
  tables.set(kS0, Lid(10), {ArState::kBounded, 1});
  tables.set(kS0, Lid(4), {ArState::kFree, 0});
  EXPECT_TRUE(tables.is_set(kS0));
  EXPECT_EQ(tables.entry(kS0, Lid(10)), (ArEntry{ArState::kBounded, 1}));
  EXPECT_EQ(tables.entry(kS0, Lid(9)), ArEntry{});
  EXPECT_EQ(tables.entry(kS0, Lid(11)), ArEntry{});
  EXPECT_EQ(*tables.group_of(kS0, Lid(10)), mask_of({3}));
  EXPECT_EQ(*tables.group_of(kS0, Lid(4)), mask_of({1, 2}));
  tables.set(kS1, Lid(1), {ArState::kFree, 0});
  EXPECT_EQ(count(tables), (ArCount{2, 3, 2, 3}));
  const ArTables copy = tables;
  tables.set(kS0, Lid(4), {ArState::kStatic, 1});
  EXPECT_EQ(tables.entry(kS0, Lid(4)), ArEntry{});
  EXPECT_EQ(count(tables), (ArCount{2, 3, 2, 2}));
  EXPECT_NE(tables, copy);
  tables.set(kS0, Lid(10), {ArState::kStatic, 0});
  EXPECT_EQ(count(tables), (ArCount{1, 1, 1, 1}))
      << "a switch with only static entries does not count";
  tables.clear(kS0);
  EXPECT_TRUE(tables.groups(kS0).empty());
  EXPECT_FALSE(tables.is_set(kS0));
}

TEST(ArTables, EqualityIgnoresTheMemoryOfStaticEntries) {
  ArTables one(2, Lid(10)), other(2, Lid(10));
  one.add_group(kS1, mask_of({1, 2}));
  EXPECT_NE(one, other);
  other.add_group(kS1, mask_of({1, 2}));
  EXPECT_EQ(one, other);
  one.set(kS1, Lid(2), {ArState::kFree, 0});
  EXPECT_NE(one, other);
  EXPECT_NE(other, one);
  one.set(kS1, Lid(2), {ArState::kStatic, 0});
  EXPECT_TRUE(one.is_set(kS1));
  EXPECT_EQ(one, other);
  EXPECT_EQ(other, one);
  other.set(kS1, Lid(3), {ArState::kBounded, 0});
  EXPECT_NE(one, other);
  EXPECT_NE(one, ArTables(2, Lid(11)));
}

TEST(ArTables, SetWholeBlocks) {
  const Lid top(150);
  ArTables blocks(1, top), single(1, top);
  for (ArTables* const tables : {&blocks, &single}) {
    tables->add_group(kS0, mask_of({1, 2}));
    tables->add_group(kS0, mask_of({3, 4}));
  }
  const ArEntry first{ArState::kBounded, 0}, second{ArState::kFree, 1};
  blocks.set_block(kS0, 1, first);
  blocks.set_block(kS0, 2, second);  // up to the highest LID only
  EXPECT_EQ(blocks.block_entry(kS0, 0), ArEntry{});
  EXPECT_EQ(blocks.block_entry(kS0, 1), first);
  EXPECT_EQ(count(blocks).entries, 64u + 23u);
  EXPECT_EQ(blocks.entry(kS0, Lid(150)), second);
  EXPECT_EQ(blocks.entry(kS0, Lid(151)), ArEntry{});
  for (unsigned lid = 64; lid <= 150; ++lid)
    single.set(kS0, Lid(static_cast<std::uint16_t>(lid)), lid < 128 ? first : second);
  EXPECT_EQ(blocks, single);

  blocks.set(kS0, Lid(70), second);
  EXPECT_EQ(blocks.block_entry(kS0, 1), std::nullopt);
  EXPECT_EQ(blocks.entry(kS0, Lid(69)), first);
  EXPECT_EQ(blocks.entry(kS0, Lid(70)), second);
  EXPECT_NE(blocks, single);
  blocks.set_block(kS0, 1, first);
  EXPECT_EQ(blocks, single);
}

TEST(ArTables, ConvertStatesToNamesAndBack) {
  for (const ArState state : {ArState::kBounded, ArState::kFree, ArState::kStatic, ArState::kHash})
    EXPECT_EQ(find_ar_state(name(state)), state);
  EXPECT_EQ(name(ArState::kBounded), "bounded");
  EXPECT_EQ(name(ArState::kHash), "hash");
  EXPECT_EQ(find_ar_state("Free"), std::nullopt);
  EXPECT_EQ(find_ar_state(""), std::nullopt);
}

TEST(ArTables, ListTheDefaultPortFirstAndOnce) {
  Lfts lfts(1, Lid(5));
  ArTables tables(1, Lid(5));
  tables.set(kS0, Lid(2), {ArState::kFree, tables.add_group(kS0, mask_of({1, 3, 8}))});
  const auto choices = [&](Lid lid, const ArTables* adaptive) {
    std::vector<unsigned> found;
    for_each_choice(lfts, adaptive, kS0, lid, [&](PortNum port) { found.push_back(port.value()); });
    return found;
  };
  using List = std::vector<unsigned>;
  EXPECT_EQ(choices(Lid(2), &tables), (List{255, 1, 3, 8}));
  lfts.set(kS0, Lid(2), PortNum(3));
  EXPECT_EQ(choices(Lid(2), &tables), (List{3, 1, 8}));
  lfts.set(kS0, Lid(2), PortNum(2));
  EXPECT_EQ(choices(Lid(2), &tables), (List{2, 1, 3, 8}));
  EXPECT_EQ(choices(Lid(2), nullptr), (List{2}));
  EXPECT_EQ(choices(Lid(1), &tables), (List{255}));
}

//  H0 - S0 - S1 - H1, H2
TEST(PathSl, DependsOnTheKind) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1, 2).build();
  const EndportId h0 = fabric.endports_at(kS0)[0];
  const Lid lid1 = fabric.endport(fabric.endports_at(kS1)[0]).lid;
  const Lid lid2 = fabric.endport(fabric.endports_at(kS1)[1]).lid;
  EXPECT_EQ(PathSl().sl(fabric, h0, lid1), Sl(0));
  EXPECT_EQ(PathSl().kind(), PathSl::Kind::kUniform);
  std::vector<std::uint8_t> row(fabric.lid_top().value() + std::size_t{1}, 0);
  row[lid1.value()] = 3;
  row[lid2.value()] = 4;
  const PathSl by_destination = PathSl::by_destination(row);
  EXPECT_EQ(by_destination.sl(fabric, h0, lid1), Sl(3));
  EXPECT_EQ(by_destination.sl(fabric, h0, lid2), Sl(4));
  const PathSl by_pair = PathSl::by_switch_pair(2, {1, 2, 3, 4});
  EXPECT_EQ(by_pair.sl(fabric, h0, lid1), Sl(2));
  EXPECT_EQ(by_pair.sl(kS1, kS0, Lid(0)), Sl(3));
  EXPECT_EQ(by_pair.sl(kS1, kS1, Lid(0)), Sl(4));
  std::vector<std::uint8_t> rows(row.size(), 9);
  rows.insert(rows.begin(), row.begin(), row.end());
  const PathSl by_lid = PathSl::by_switch_and_lid(2, fabric.lid_top(), rows);
  EXPECT_EQ(by_lid.sl(fabric, h0, lid2), Sl(4));
  EXPECT_EQ(by_lid.sl(kS1, kS1, lid2), Sl(9));
  EXPECT_NE(by_lid, by_pair);
  EXPECT_NE(by_pair, PathSl::by_switch_pair(2, {1, 2, 3, 5}));
}

//  H0 - S0 - S1 - H1     LIDs 1 to 4: S0, S1, H0, H1
class CopiedLids : public ::testing::Test {
 protected:
  static constexpr Lid kHost{3}, kOtherHost{4};

  CopiedLids() {
    routes_.lfts = Lfts(2, fabric_.lid_top());
    routes_.lfts.set(kS0, kHost, PortNum(1));
    routes_.lfts.set(kS1, kHost, PortNum(2));
    routes_.lfts.set(kS1, kOtherHost, PortNum(7));
    ArTables& tables = routes_.adaptive.emplace(2, fabric_.lid_top());
    tables.add_private_table();
    tables.select_table(kS1, PortNum(3), Sl(2), 1);
    for (ArTables* const table : {&tables, &tables.private_table(1)}) {
      table->add_group(kS1, mask_of({2, 4}));
      table->set(kS1, kHost, {ArState::kFree, 0});
    }
    tables.divide(kS1, {{mask_of({4}), 3, 2}});
    tables.set_numbers({{0, 0, 0, 6, 0}, {}});
  }
  const Fabric fabric_ = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  Routes routes_;
};

TEST_F(CopiedLids, HaveTheEntriesOfTheirLidInEachTable) {
  const Routes before = routes_;
  copy_lids(fabric_, std::vector<LidCopy>{{Lid(9), kHost}, {Lid(200), kHost}}, routes_);
  for (const Lid copy : {Lid(9), Lid(200)}) {
    EXPECT_EQ(routes_.lfts.port(kS0, copy), PortNum(1));
    EXPECT_EQ(routes_.lfts.port(kS1, copy), PortNum(2));
    for (const unsigned table : {0u, 1u}) {
      EXPECT_EQ(routes_.adaptive->table(table).entry(kS1, copy), (ArEntry{ArState::kFree, 0}));
      EXPECT_EQ(routes_.adaptive->table(table).entry(kS0, copy), ArEntry{});
    }
    EXPECT_EQ(routes_.adaptive->numbers().number(copy), 6);
  }
  EXPECT_EQ(routes_.lfts.top(), Lid(200));
  EXPECT_EQ(routes_.adaptive->top(), Lid(200));
  for (unsigned value = 0; value < 200; ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    for (const SwitchId sw : {kS0, kS1})
      if (lid != Lid(9)) {
        EXPECT_EQ(routes_.lfts.port(sw, lid), before.lfts.port(sw, lid));
        EXPECT_EQ(routes_.adaptive->entry(sw, lid), before.adaptive->entry(sw, lid));
      }
  }
}

TEST_F(CopiedLids, KeepGroupsDivisionsAndTheSelectionOfTables) {
  copy_lids(fabric_, std::vector<LidCopy>{{Lid(200), kHost}}, routes_);
  const ArTables& tables = *routes_.adaptive;
  ASSERT_EQ(tables.table_count(), 2u);
  EXPECT_EQ(&tables.table_for(kS1, PortNum(3), Sl(2)), &tables.table(1));
  EXPECT_EQ(&tables.table_for(kS1, PortNum(3), Sl(1)), &tables);
  ASSERT_EQ(tables.groups(kS1).size(), 1u);
  EXPECT_EQ(tables.groups(kS1)[0], mask_of({2, 4}));
  ASSERT_EQ(tables.divisions(kS1).size(), 1u);
  EXPECT_EQ(tables.divisions(kS1)[0], (GroupDivision{mask_of({4}), 3, 2}));
  EXPECT_EQ(tables.table(1).groups(kS1)[0], mask_of({2, 4}));
}

TEST_F(CopiedLids, AreRemovedIfTheNextCopiesLackThem) {
  copy_lids(fabric_, std::vector<LidCopy>{{Lid(9), kHost}, {Lid(200), kHost}}, routes_);
  copy_lids(fabric_, std::vector<LidCopy>{{Lid(200), kOtherHost}}, routes_);
  EXPECT_EQ(routes_.lfts.port(kS1, Lid(9)), kNoRoute);
  EXPECT_EQ(routes_.adaptive->entry(kS1, Lid(9)), ArEntry{});
  EXPECT_EQ(routes_.adaptive->table(1).entry(kS1, Lid(9)), ArEntry{});
  EXPECT_EQ(routes_.adaptive->numbers().number(Lid(9)), 0);
  EXPECT_EQ(routes_.lfts.port(kS1, Lid(200)), PortNum(7));
  EXPECT_EQ(routes_.adaptive->entry(kS1, Lid(200)), ArEntry{});
  copy_lids(fabric_, {}, routes_);
  EXPECT_EQ(routes_.lfts.port(kS1, Lid(200)), kNoRoute);
  EXPECT_EQ(routes_.lfts.port(kS1, kHost), PortNum(2));
}

}  // namespace
}  // namespace weft
