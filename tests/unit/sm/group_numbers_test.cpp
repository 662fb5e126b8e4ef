// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Group numbers of adaptive routing by destination leaf: equal at all switches with notifications,
// in all sweeps, and after restarts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/file.h"
#include "fabric/without.h"
#include "routing/engine.h"
#include "sm/adaptive/group_number_file.h"
#include "support/managed_subnet.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Routes routes_with_notifications(const Fabric& fabric) {
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{};
  options.adaptive->notifies.assign(fabric.switch_count(), 1);
  auto routes = run_engine(*find_engine("ar_updn"), fabric, options);
  CHECK(routes.has_value());
  return std::move(*routes);
}

struct NumberedRoutes {
  Routes routes;
  std::size_t restricted = 0;
};

NumberedRoutes numbered_routes(const Fabric& fabric, GroupNumberMemory& memory,
                               std::uint16_t highest = 1023) {
  NumberedRoutes result{routes_with_notifications(fabric)};
  result.restricted = number_groups(
      fabric, std::vector<std::uint16_t>(fabric.switch_count(), highest), memory, result.routes);
  return result;
}

/// Expects that LIDs with equal numbers have equal groups at every switch, and that different
/// leaves have different numbers.
void expect_consistent(const Fabric& fabric, const ArTables& tables) {
  const GroupNumbers& numbers = tables.numbers();
  std::map<std::uint16_t, Lid> first;
  for (std::uint32_t l = 1; l <= fabric.lid_top().value(); ++l) {
    const Lid lid(static_cast<std::uint16_t>(l));
    const std::uint16_t number = numbers.number(lid);
    if (number == 0) continue;
    const Lid leader = first.try_emplace(number, lid).first->second;
    EXPECT_EQ(numbers.lid_of[number], leader);
    EXPECT_EQ(fabric.endport(fabric.endport_of(lid)).sw,
              fabric.endport(fabric.endport_of(leader)).sw);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      EXPECT_EQ(tables.entry(SwitchId(s), lid), tables.entry(SwitchId(s), leader));
  }
}

TEST(GroupNumbers, EachLeafHasOneNumberAndNumbersBeginAtOne) {
  const Fabric fabric = fabric_of("fattree3:k=4", 0);
  GroupNumberMemory memory;
  const NumberedRoutes first = numbered_routes(fabric, memory);
  EXPECT_EQ(first.restricted, 0u);
  expect_consistent(fabric, *first.routes.adaptive);
  std::set<std::uint16_t> of_leaves;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    ASSERT_THAT(memory.at(fabric.node(SwitchId(s)).node_guid), testing::SizeIs(1));
    if (!fabric.endports_at(SwitchId(s)).empty())
      of_leaves.insert(memory.at(fabric.node(SwitchId(s)).node_guid)[0]);
  }
  EXPECT_EQ(of_leaves.size(), 8u);
  EXPECT_EQ(*of_leaves.begin(), 1u) << "numbers must begin at 1, because group 0 stays empty";
  EXPECT_EQ(*of_leaves.rbegin(), 8u) << "leaves must have numbers before switches without CAs";
  // A second computation gives the same numbers.
  GroupNumberMemory again = memory;
  EXPECT_EQ(numbered_routes(fabric, again).routes.adaptive->numbers(),
            first.routes.adaptive->numbers());
  EXPECT_EQ(again, memory);
}

TEST(GroupNumbers, StayTheSameWhenALeafFailsAndReturns) {
  const Fabric whole = fabric_of("fattree3:k=4", 0);
  GroupNumberMemory memory;
  numbered_routes(whole, memory);
  const GroupNumberMemory before = memory;
  const SwitchId leaf = whole.endports().back().sw;
  const Fabric left = without(whole, std::vector<NodeId>{Fabric::node_of(leaf)}, {});
  numbered_routes(left, memory);
  EXPECT_EQ(memory, before) << "the number of the absent leaf must stay reserved";
  numbered_routes(whole, memory);
  EXPECT_EQ(memory, before);
}

TEST(GroupNumbers, NumbersOfAbsentSwitchesAreReusedIfNoOtherNumberIsFree) {
  const Fabric fabric = fabric_of("fattree3:k=4", 0);
  GroupNumberMemory memory{{Guid(0xABC), {3, 20}}, {Guid(0xDEF), {2}}};
  numbered_routes(fabric, memory, 21);
  std::set<std::uint16_t> used;
  for (const auto& [guid, numbers] : memory)
    for (const std::uint16_t number : numbers)
      if (number != 0) {
        EXPECT_TRUE(used.insert(number).second) << "two switches have the number " << number;
      }
  EXPECT_EQ(used.size(), 21u);
  EXPECT_THAT(memory.at(Guid(0xABC)), ElementsAre(0, 20));
}

/// 8 of the 20 switches are leaves, and 8 numbers are enough for the leaves.
TEST(GroupNumbers, OtherSwitchesHaveStaticEntriesIfNumbersSufficeOnlyForLeaves) {
  const Fabric fabric = fabric_of("fattree3:k=4", 0);
  GroupNumberMemory memory;
  const NumberedRoutes few = numbered_routes(fabric, memory, 8);
  EXPECT_GT(few.restricted, 0u);
  expect_consistent(fabric, *few.routes.adaptive);
  EXPECT_EQ(memory.size(), 8u);
  for (const Endport& endport : fabric.endports()) {
    const bool behind_leaf = !fabric.endports_at(endport.sw).empty();
    EXPECT_EQ(few.routes.adaptive->numbers().number(endport.lid) != 0, behind_leaf);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      EXPECT_EQ(few.routes.adaptive->group_of(SwitchId(s), endport.lid) != nullptr,
                behind_leaf && SwitchId(s) != endport.sw);
  }
}

TEST(GroupNumbers, ASwitchWithFewerGroupsHasStaticEntriesForHigherNumbers) {
  const Fabric fabric = fabric_of("fattree3:k=4", 0);
  GroupNumberMemory memory;
  Routes routes = routes_with_notifications(fabric);
  std::vector<std::uint16_t> highest(fabric.switch_count(), 1023);
  highest[0] = 2;
  EXPECT_GT(number_groups(fabric, highest, memory, routes), 0u);
  const ArTables& tables = *routes.adaptive;
  for (const Endport& endport : fabric.endports()) {
    const std::uint16_t number = tables.numbers().number(endport.lid);
    EXPECT_NE(number, 0u);
    if (number > 2) {
      EXPECT_EQ(tables.group_of(SwitchId(0), endport.lid), nullptr);
    }
  }
}

//   S2   S3      each host has two LIDs: S1 reaches the first by both uplinks, the second by one
TEST(GroupNumbers, LidsOfALeafWithDifferentGroupsHaveDifferentNumbers) {
  const Fabric fabric = two_by_two(1, 1);
  Routes routes = routes_with_notifications(fabric);
  const Lid base = fabric.endport(fabric.endports_at(kS0)[0]).lid;
  const Lid second(static_cast<std::uint16_t>(base.value() + 1));
  PortMask one_port;
  one_port.set(1);
  ArTables& tables = *routes.adaptive;
  tables.set(kS1, second, {ArState::kBounded, tables.add_group(kS1, one_port)});
  GroupNumberMemory memory;
  number_groups(fabric, std::vector<std::uint16_t>(fabric.switch_count(), 100), memory, routes);
  expect_consistent(fabric, tables);
  EXPECT_NE(tables.numbers().number(base), tables.numbers().number(second));
  const auto& of_leaf = memory.at(fabric.node(kS0).node_guid);
  EXPECT_THAT(of_leaf, ElementsAre(tables.numbers().number(base), tables.numbers().number(second)))
      << "the largest class of LIDs must have the first number";
}

TEST(GroupNumbers, RoutesWithoutFrnHaveNoGroupNumbers) {
  const Fabric fabric = two_by_two(1);
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{};
  Routes routes = *run_engine(*find_engine("ar_updn"), fabric, options);
  GroupNumberMemory memory;
  EXPECT_EQ(number_groups(fabric, std::vector<std::uint16_t>(4, 100), memory, routes), 0u);
  EXPECT_TRUE(routes.adaptive->numbers().empty());
  EXPECT_THAT(memory, IsEmpty());
}

TEST(GroupNumberFile, IsReadBackUnchanged) {
  TempDir folder;
  const GroupNumberMemory numbers{{Guid(0x1234), {1}}, {Guid(0x5678), {7, 0, 4095}}};
  ASSERT_TRUE(write_group_numbers(folder / "guid2argroup", numbers));
  std::vector<std::string> warnings;
  EXPECT_EQ(*read_group_numbers(folder / "guid2argroup", warnings), numbers);
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_THAT(*read_group_numbers(folder / "absent", warnings), IsEmpty());
}

TEST(GroupNumberFile, ReportsAndDropsDamagedLines) {
  TempDir folder;
  const std::string path = folder / "guid2argroup";
  const struct {
    const char* line;
    const char* why;
  } kCases[] = {{"0x0 1", "found '0x0', expected a GUID in hex"},
                {"leaf 1", "found 'leaf', expected a GUID in hex"},
                {"0x5", "found only a GUID, expected a GUID and group numbers"},
                {"0x5 4096", "found '4096', expected a group number from 0 to 4095"},
                {"0x5 -1", "found '-1', expected a group number from 0 to 4095"},
                {"0x5 7 7", "group 7 is repeated"},
                {"0x5 1", "group 1 is repeated"},
                {"0x1 5", "GUID 0x0000000000000001 is repeated"}};
  for (const auto& one : kCases) {
    std::ofstream(path) << "0x1 1\n" << one.line << "\n0x2 2\n";
    std::vector<std::string> warnings;
    const auto numbers = read_group_numbers(path, warnings);
    ASSERT_TRUE(numbers);
    EXPECT_THAT(*numbers, ElementsAre(std::pair(Guid(1), std::vector<std::uint16_t>{1}),
                                      std::pair(Guid(2), std::vector<std::uint16_t>{2})));
    EXPECT_THAT(warnings, ElementsAre(HasSubstr(path + ":2: " + one.why))) << one.line;
  }
}

class NumberedSubnet : public ManagedSubnet {
 public:
  explicit NumberedSubnet(bool notifications = true)
      : ManagedSubnet(fabric_of("fattree3:k=4"), emulator(notifications)) {
    options.routing_engine = {{"ar_updn"}, false};
  }
  /// For each LID, the group numbers that switches use for the LID.
  std::map<unsigned, std::set<unsigned>> numbers() {
    std::map<unsigned, std::set<unsigned>> found;
    for (std::uint32_t s = 0; s < fabric().switch_count(); ++s) {
      const emulator::AdaptiveModel& model = emulated().adaptive(SwitchId(s));
      for (unsigned lid = 1; lid < model.entries.size(); ++lid)
        if (model.entries[lid].state != 2) found[lid].insert(model.entries[lid].group);
    }
    return found;
  }

 private:
  static EmulatorOptions emulator(bool notifications) {
    EmulatorOptions options;
    options.adaptive = AdaptiveSwitches::kAnswered;
    options.notifications = notifications;
    return options;
  }
};

TEST(NumberedSubnet, AllSwitchesHaveTheSameNumberForALeaf) {
  NumberedSubnet managed;
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const auto numbers = managed.numbers();
  EXPECT_GE(numbers.size(), managed.fabric().endport_count());
  std::map<SwitchId, unsigned> of_leaf;
  for (const auto& [lid, held] : numbers) {
    ASSERT_THAT(held, testing::SizeIs(1)) << "LID " << lid;
    const Fabric& known = managed.known();
    const SwitchId leaf = known.endport(known.endport_of(Lid(static_cast<std::uint16_t>(lid)))).sw;
    EXPECT_EQ(of_leaf.try_emplace(leaf, *held.begin()).first->second, *held.begin());
  }
  EXPECT_EQ(of_leaf.size(), 20u);
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
    EXPECT_TRUE(managed.emulated().adaptive(SwitchId(s)).info.global_groups);
}

TEST(NumberedSubnet, NumbersStayTheSameAfterARestartWithTheFile) {
  NumberedSubnet managed;
  // The file has the numbers of a leaf that is no longer in the fabric.
  const std::string path = managed.cache() / "guid2argroup";
  std::ofstream(path) << "0xabc 1 2 3\n";
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto numbers = managed.numbers();
  EXPECT_GT(*numbers.begin()->second.begin(), 3u);
  managed.emulated().reset_counters();
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.numbers(), numbers);
  EXPECT_TRUE(managed.report().warnings.empty());
  // If the file is not used, numbers begin at 1.
  managed.options.cache_ar_group_id = false;
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_NE(managed.numbers(), numbers);
  EXPECT_THAT(*read_file(path), HasSubstr("0x0000000000000abc 1 2 3"))
      << "the file must keep its lines";
}

TEST(NumberedSubnet, ReportsADamagedFileAndKeepsACopy) {
  NumberedSubnet managed;
  const std::string path = managed.cache() / "guid2argroup";
  std::ofstream(path) << "not a line\n0xabc 9\n";
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_THAT(
      managed.report().warnings,
      testing::IsSupersetOf({HasSubstr(path + ":1: found 'not', expected a GUID in hex"),
                             HasSubstr(path + ": damaged, copied to " + path + ".damaged")}));
  EXPECT_THAT(*read_file(path + ".damaged"), HasSubstr("not a line"));
  EXPECT_THAT(*read_file(path), HasSubstr("0x0000000000000abc 9"));
}

TEST(NumberedSubnet, WithoutNotificationsEqualGroupsShareANumber) {
  NumberedSubnet managed(false);
  managed.start();
  ASSERT_TRUE(managed.settle());
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
    const emulator::AdaptiveModel& model = managed.emulated().adaptive(SwitchId(s));
    EXPECT_LE(model.info.group_top, 2u) << "switch " << s;
    EXPECT_FALSE(model.info.global_groups);
  }
  EXPECT_FALSE(std::ifstream(managed.cache() / "guid2argroup").good());
}

}  // namespace
}  // namespace weft
