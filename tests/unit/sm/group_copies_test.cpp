// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Equal groups of a switch are written once and copied, if the switch supports copies.
#include "sm/adaptive/group_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PortMask ports(std::initializer_list<unsigned> numbers) {
  PortMask mask;
  for (const unsigned number : numbers) mask.set(number);
  return mask;
}

/// AR tables of one switch with these groups, numbered from 1 like group numbers by leaf.
ArTables tables_with(const std::vector<PortMask>& groups) {
  const Lid top(static_cast<std::uint16_t>(groups.size()));
  ArTables tables(1, top);
  std::vector<SwitchNotifications> notifications(1);
  notifications[0].received.resize(1);
  tables.set_notifications(std::move(notifications));
  GroupNumbers numbers;
  numbers.of_lid.assign(groups.size() + 1, 0);
  numbers.lid_of.assign(groups.size() + 1, Lid{});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Lid lid(static_cast<std::uint16_t>(i + 1));
    numbers.of_lid[i + 1] = static_cast<std::uint16_t>(i + 1);
    numbers.lid_of[i + 1] = lid;
    tables.set(kS0, lid, {ArState::kBounded, tables.add_group(kS0, groups[i])});
  }
  tables.set_numbers(std::move(numbers));
  return tables;
}

using Range = ArGroupCopyBlock::Range;

TEST(GroupCopies, EqualGroupsAreWrittenOnceAndCopiedInRanges) {
  const PortMask up = ports({1, 2}), down = ports({3});
  const ArTables tables = tables_with({up, up, up, down, up, up, up, up, up, down, up});
  const GroupWrites writes = plan_group_writes(tables, kS0, std::vector<bool>(6, true), true);
  EXPECT_THAT(writes.blocks, ElementsAre(0, 2))
      << "the blocks of groups 0 and 1, and of groups 4 and 5, must be written";
  EXPECT_THAT(writes.copied, ElementsAre(1, 3, 4, 5));
  EXPECT_THAT(writes.copies, ElementsAre(GroupCopy{1, {Range{2, 3}, Range{6, 9}, Range{11, 11}}},
                                         GroupCopy{4, {Range{10, 10}}}));
}

TEST(GroupCopies, AreMadeFromGroupsInUnchangedBlocks) {
  const PortMask up = ports({1, 2});
  const ArTables tables = tables_with(std::vector<PortMask>(9, up));
  std::vector<bool> differs(5, false);
  differs[3] = differs[4] = true;
  const GroupWrites writes = plan_group_writes(tables, kS0, differs, true);
  EXPECT_THAT(writes.blocks, IsEmpty());
  EXPECT_THAT(writes.copies, ElementsAre(GroupCopy{1, {Range{6, 9}}}));
}

TEST(GroupCopies, EmptyGroupsAreCopiesOfGroupZero) {
  const PortMask up = ports({1, 2});
  const ArTables tables = tables_with({up, {}, {}, {}, {}, {}, {}, up});
  const GroupWrites writes = plan_group_writes(tables, kS0, std::vector<bool>(5, true), true);
  EXPECT_THAT(writes.blocks, ElementsAre(0, 4)) << "block 4 must be written, not copied";
  EXPECT_THAT(writes.copies, ElementsAre(GroupCopy{0, {Range{2, 7}}}));
}

TEST(GroupCopies, BlocksAreWrittenIfCopiesNeedAsManySmps) {
  const PortMask up = ports({1, 2});
  const ArTables tables = tables_with(std::vector<PortMask>(3, up));
  const std::vector<bool> both(2, true);
  EXPECT_THAT(plan_group_writes(tables, kS0, both, true).blocks, ElementsAre(0, 1));
  EXPECT_THAT(plan_group_writes(tables, kS0, both, true).copies, IsEmpty());
  const ArTables many = tables_with(std::vector<PortMask>(9, up));
  const std::vector<bool> all(5, true);
  EXPECT_THAT(plan_group_writes(many, kS0, all, true).blocks, ElementsAre(0));
  EXPECT_THAT(plan_group_writes(many, kS0, all, false).blocks, ElementsAre(0, 1, 2, 3, 4));
}

TEST(GroupCopies, ManyRangesNeedSeveralSmpsAndUnusedRangesRepeatTheLastRange) {
  const PortMask up = ports({1}), down = ports({2});
  std::vector<PortMask> groups{up, up, down};
  for (unsigned i = 0; i < 20; ++i) groups.insert(groups.end(), {up, down});
  const ArTables tables = tables_with(groups);
  const GroupWrites writes =
      plan_group_writes(tables, kS0, std::vector<bool>(groups.size() / 2 + 1, true), true);
  ASSERT_EQ(writes.copies.size(), 4u);
  for (const GroupCopy& copy : writes.copies) EXPECT_LE(copy.ranges.size(), 16u);
  const ArGroupCopyBlock block = copy_block(writes.copies[1]);
  EXPECT_EQ(block.ranges.back(), writes.copies[1].ranges.back())
      << "unused ranges must repeat the last range, because zeros could mean group 0";
}

class CopyingSubnet : public ManagedSubnet {
 public:
  explicit CopyingSubnet(const char* spec = "fattree3:k=6")
      : ManagedSubnet(fabric_of(spec), emulator()) {
    options.routing_engine = {{"ar_updn"}, false};
  }
  /// Expects that the AR tables of each switch select the ports of the published groups.
  void expect_groups() {
    expect_managed(*this);
    const auto snapshot = sm().snapshot();
    for (std::uint32_t s = 0; s < known().switch_count(); ++s) {
      const SwitchId there(fabric().find_node(known().node(SwitchId(s)).node_guid)->value());
      const emulator::AdaptiveModel& model = emulated().adaptive(there);
      ASSERT_TRUE(model.info.enabled);
      EXPECT_TRUE(model.groups[0].none());
      for (unsigned l = 1; l <= snapshot->routes.lfts.top().value(); ++l) {
        const Lid lid(static_cast<std::uint16_t>(l));
        const PortMask* wanted = snapshot->routes.adaptive->group_of(SwitchId(s), lid);
        const auto held = model.group(lid);
        ASSERT_EQ(wanted != nullptr, held.has_value());
        if (wanted != nullptr) {
          ASSERT_EQ(*wanted, *held) << "switch " << s << " LID " << l;
        }
      }
    }
  }

 private:
  static EmulatorOptions emulator() {
    EmulatorOptions options;
    options.adaptive = AdaptiveSwitches::kAnswered;
    options.notifications = true;
    return options;
  }
};

TEST(CopyingSubnet, CopiesNeedFewerSmpsAndResultInTheSameGroups) {
  std::uint64_t plain = 0;
  for (const bool copies : {false, true}) {
    CopyingSubnet managed;
    managed.options.enable_ar_group_copy = copies;
    managed.start();
    ASSERT_TRUE(managed.settle());
    managed.expect_groups();
    const std::uint64_t written = managed.sets(kArGroupTable),
                        copied = managed.sets(kArGroupTableCopy);
    EXPECT_EQ(managed.report().adaptive.copies, copied);
    EXPECT_EQ(copied > 0, copies);
    if (copies) {
      EXPECT_LT(written + copied, plain * 2 / 3);
    }
    plain = written;
    managed.emulated().reset_counters();
    managed.sm().request_heavy_sweep("a test");
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(managed.sets(kArGroupTable) + managed.sets(kArGroupTableCopy), 0u);
  }
}

TEST(CopyingSubnet, ReplacesGroupsAfterACableFails) {
  CopyingSubnet managed;
  managed.start();
  ASSERT_TRUE(managed.settle());
  for (const unsigned nth : {0u, 1u}) {
    const SwitchId sw = managed.fabric().endports().back().sw;
    managed.emulated().cut_cable(managed.fabric().port_id(
        Fabric::node_of(sw), managed.fabric().channels_from(sw)[nth].from_port));
    managed.run_for(std::chrono::seconds(30));
    ASSERT_TRUE(managed.settle());
    managed.expect_groups();
  }
}

/// While `refuses` is true, changes the status of every `every`-th answer to a copy to an error.
/// The switch applies these copies.
class RefusingCopies final : public SmpTransport {
 public:
  explicit RefusingCopies(SmpTransport& wire) : wire_(wire) {}
  Status send(const Smp& smp) override { return wire_.send(smp); }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }
  std::optional<Smp> receive() override {
    auto smp = wire_.receive();
    if (refuses && smp && smp->attribute == kArGroupTableCopy && ++seen_ % every == 0)
      smp->status = mad_status::kInvalidField;
    return smp;
  }
  bool refuses = true;
  unsigned every = 3;

 private:
  SmpTransport& wire_;
  unsigned seen_ = 0;
};

TEST(CopyingSubnet, ASwitchThatRefusesCopiesUsesItsPlainTableUntilTheNextSweep) {
  CopyingSubnet managed;
  std::unique_ptr<RefusingCopies> refusing;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    refusing = std::make_unique<RefusingCopies>(wire);
    return *refusing;
  };
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_GT(managed.report().adaptive.errors, 0u);
  EXPECT_LT(managed.report().adaptive.on, managed.fabric().switch_count());
  refusing->refuses = false;
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().adaptive.on, managed.fabric().switch_count());
  managed.expect_groups();
}

/// The switch applies the copies of a changed table, but their answers have an error status; then
/// the previous table is desired again.
TEST(CopyingSubnet, WritesGroupsAgainAfterCopiesAreAnsweredWithAnError) {
  CopyingSubnet managed;
  std::unique_ptr<RefusingCopies> refusing;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    refusing = std::make_unique<RefusingCopies>(wire);
    refusing->refuses = false;
    refusing->every = 1;
    return *refusing;
  };
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.expect_groups();
  refusing->refuses = true;
  const SwitchId sw = managed.fabric().endports().back().sw;
  const PortId cable = managed.fabric().port_id(Fabric::node_of(sw),
                                                managed.fabric().channels_from(sw)[0].from_port);
  managed.emulated().cut_cable(cable);
  managed.run_for(std::chrono::seconds(12));
  ASSERT_TRUE(managed.settle());
  EXPECT_GT(managed.report().adaptive.errors, 0u);
  refusing->refuses = false;
  managed.emulated().restore_cable(cable);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  managed.expect_groups();
}

}  // namespace
}  // namespace weft
