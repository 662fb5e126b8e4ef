// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file weft.ar: its content is the same when written and read again, and a wrong line is
// reported.

#include <gtest/gtest.h>

#include <string>

#include "base/check.h"
#include "base/file.h"
#include "routes/dump/read.h"
#include "routes/dump/write.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

Fabric line_of_two() { return Tiny(2).link(0, 1, 3).hosts(0, 2).hosts(1).build(); }

PortMask ports(std::initializer_list<unsigned> list) {
  PortMask mask;
  for (const unsigned port : list) mask.set(port);
  return mask;
}

Routes some_routes(const Fabric& fabric) {
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  routes.adaptive = ArTables(fabric.switch_count(), fabric.lid_top());
  ArTables& tables = *routes.adaptive;
  tables.add_group(SwitchId(0), ports({1, 2, 3}));
  tables.add_group(SwitchId(0), ports({1, 3, 4, 200}));
  tables.set(SwitchId(0), Lid(2), {ArState::kBounded, 0});
  tables.set(SwitchId(0), Lid(3), {ArState::kBounded, 0});
  tables.set(SwitchId(0), Lid(5), {ArState::kFree, 1});
  return routes;
}

std::string written(const Fabric& fabric, const Routes& routes) {
  std::string text;
  write_adaptive(fabric, routes, [&](std::string_view piece) { text += piece; });
  return text;
}

Result<ArTables> read_text(const Fabric& fabric, const std::string& text, Warnings& warnings) {
  const TempDir folder;
  const std::string path = folder / "weft.ar";
  CHECK(write_file(path, text).has_value());
  return read_adaptive(fabric, path, warnings);
}

TEST(AdaptiveDump, IsEqualWhenReadBack) {
  const Fabric fabric = line_of_two();
  const Routes routes = some_routes(fabric);
  const std::string text = written(fabric, routes);
  EXPECT_EQ(text,
            "# Adaptive routing: the AR groups of each switch, and the LIDs that are assigned to "
            "each AR group\n"
            "switch 0x0000000000000100\n"
            "group 0 ports 1-3\n"
            "group 1 ports 1,3-4,200\n"
            "lids 2-3 bounded group 0\n"
            "lids 5 free group 1\n");
  Warnings warnings;
  const auto back = read_text(fabric, text, warnings);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, *routes.adaptive);
  EXPECT_TRUE(warnings.take().empty());
}

TEST(AdaptiveDump, HasEntriesWithHashBasedForwarding) {
  const Fabric fabric = line_of_two();
  Routes routes = some_routes(fabric);
  routes.adaptive->set(SwitchId(0), Lid(4), {ArState::kHash, 1});
  const std::string text = written(fabric, routes);
  EXPECT_NE(text.find("lids 4 hash group 1\n"), std::string::npos) << text;
  Warnings warnings;
  const auto back = read_text(fabric, text, warnings);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, *routes.adaptive);
}

TEST(AdaptiveDump, HasPrivateTablesWithTheirInputsAndGroups) {
  const Fabric fabric = line_of_two();
  Routes routes = some_routes(fabric);
  ArTables& tables = *routes.adaptive;
  for (const unsigned number : {1u, 2u}) ASSERT_EQ(tables.add_private_table(), number);
  tables.private_table(2).add_group(SwitchId(1), ports({4, 5}));
  tables.private_table(2).set(SwitchId(1), Lid(4), {ArState::kFree, 0});
  for (const unsigned port : {0u, 4u})
    for (const unsigned sl : {0u, 1u, 15u})
      tables.select_table(SwitchId(1), PortNum(static_cast<std::uint8_t>(port)),
                          Sl(static_cast<std::uint8_t>(sl)), 2);
  tables.select_table(SwitchId(1), PortNum(3), Sl(2), 1);
  const std::string text = written(fabric, routes);
  EXPECT_TRUE(
      text.ends_with("switch 0x0000000000000101\n"
                     "table 1\n"
                     "inputs 3 sls 2\n"
                     "table 2\n"
                     "inputs 0,4 sls 0-1,15\n"
                     "group 0 ports 4-5\n"
                     "lids 4 free group 0\n"))
      << text;
  Warnings warnings;
  const auto back = read_text(fabric, text, warnings);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, tables);
  EXPECT_EQ(back->table_for(SwitchId(1), PortNum(4), Sl(15)).groups(SwitchId(1)).size(), 1u);
  EXPECT_EQ(&back->table_for(SwitchId(1), PortNum(4), Sl(2)), &*back) << "table 0";
  const ArCount counted = count(tables);
  EXPECT_EQ(counted.private_tables, 2u);
  EXPECT_EQ(counted.private_switches, 1u);
  EXPECT_EQ(counted.entries, 4u);
}

TEST(AdaptiveTables, AreUnequalWithAnotherPrivateTableOrSelection) {
  const Fabric fabric = line_of_two();
  const auto with_private = [&](PortNum in, std::uint16_t lid) {
    Routes routes = some_routes(fabric);
    routes.adaptive->add_private_table();
    routes.adaptive->select_table(SwitchId(0), in, Sl(0), 1);
    ArTables& table = routes.adaptive->private_table(1);
    table.add_group(SwitchId(0), ports({1, 2}));
    table.set(SwitchId(0), Lid(lid), {ArState::kFree, 0});
    return routes;
  };
  const Routes routes = with_private(PortNum(1), 3);
  EXPECT_EQ(routes, with_private(PortNum(1), 3));
  EXPECT_NE(routes, with_private(PortNum(2), 3));
  EXPECT_NE(routes, with_private(PortNum(1), 2));
  EXPECT_NE(routes, some_routes(fabric));
  Routes cleared = routes;
  cleared.adaptive->clear_private_tables(SwitchId(0));
  EXPECT_FALSE(cleared.adaptive->selection().is_set(SwitchId(0)));
  EXPECT_EQ(cleared.adaptive->groups(SwitchId(0)).size(), 2u) << "table 0 stays";
}

TEST(AdaptiveDump, HasSecondSubGroupsWithWeights) {
  const Fabric fabric = line_of_two();
  Routes routes = some_routes(fabric);
  routes.adaptive->divide(SwitchId(0), {{}, {ports({3, 4}), 43, 21}});
  const std::string text = written(fabric, routes);
  EXPECT_NE(text.find("group 1 ports 1,3-4,200\nsecond 1 ports 3-4 weights 43 21\nlids 2-3"),
            std::string::npos)
      << text;
  Warnings warnings;
  const auto back = read_text(fabric, text, warnings);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, *routes.adaptive);
  EXPECT_FALSE(*back == *some_routes(fabric).adaptive);
}

TEST(AdaptiveDump, OfPlainRoutesIsEmpty) {
  const Fabric fabric = line_of_two();
  Routes routes = some_routes(fabric);
  routes.adaptive.reset();
  EXPECT_EQ(written(fabric, routes), "");
}

TEST(AdaptiveDump, ReportsTheWrongLine) {
  const Fabric fabric = line_of_two();
  const std::string head = "switch 0x100\ngroup 0 ports 1-2\n";
  struct Wrong {
    std::string text;
    unsigned line;
    std::string found;
  };
  for (const Wrong& wrong : {
           Wrong{"group 0 ports 1\n", 1, "group 0 ports 1"},
           {"lids 1 free group 0\n", 1, "lids 1"},
           {"switch 100\n", 1, "switch 100"},
           {"switch 0x100 x\n", 1, "x"},
           {head + "group 2 ports 1\n", 3, "expected group 1"},
           {head + "group 1 ports\n", 3, "group 1 ports"},
           {head + "group 1 ports 0\n", 3, "group 1 ports 0"},
           {head + "group 1 ports 3-1\n", 3, "3-1"},
           {head + "group 1 ports 255\n", 3, "255"},
           {head + "lids 1 static group 0\n", 3, "static"},
           {head + "lids 0 free group 0\n", 3, "lids 0"},
           {head + "lids 4-2 free group 0\n", 3, "4-2"},
           {head + "lids 49152 free group 0\n", 3, "49152"},
           {head + "lids 1 free group 1\n", 3, "has 1 groups"},
           {head + "lids 1 free group 0 more\n", 3, "more"},
           {head + "switch 0x100\n", 3, "listed twice"},
           {head + "what\n", 3, "what"},
           {head + "second 1 ports 1 weights 1 1\n", 3, "second 1"},
           {head + "second 0 ports 3 weights 1 1\n", 3, "second 0 ports 3"},
           {head + "second 0 ports 1-2 weights 1 1\n", 3, "second 0 ports 1-2"},
           {head + "second 0 ports 1 weights 0 1\n", 3, "weights 0 1"},
           {head + "second 0 ports 1 weights 1 256\n", 3, "256"},
           {head + "second 0 ports 1\n", 3, "second 0 ports 1"},
           {head + "second 0 ports 1 weights 1 1\ngroup 1 ports 3\n", 4, "group 1 ports 3"},
       }) {
    Warnings warnings;
    const auto read = read_text(fabric, wrong.text, warnings);
    ASSERT_FALSE(read) << wrong.text;
    EXPECT_EQ(read.error().code, Code::kBadInput);
    EXPECT_NE(read.error().message.find("weft.ar:" + std::to_string(wrong.line) + ": "),
              std::string::npos)
        << read.error().message;
    EXPECT_NE(read.error().message.find(wrong.found), std::string::npos) << read.error().message;
  }
}

TEST(AdaptiveDump, WarnsOfEntriesThatAreNotInTheFabric) {
  const Fabric fabric = line_of_two();
  Warnings warnings;
  const std::string absent_switch = "switch 0x999\ngroup 0 ports 1-2\nlids 1 free group 0\n";
  const auto read =
      read_text(fabric, absent_switch + "switch 0x101\ngroup 0 ports 1-2\nlids 4-90 free group 0\n",
                warnings);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(warnings.take().size(), 2u);
  EXPECT_EQ(read->entry(SwitchId(1), Lid(5)), (ArEntry{ArState::kFree, 0}));
  EXPECT_EQ(count(*read).entries, 2u);
  EXPECT_FALSE(read_text(fabric, absent_switch, warnings))
      << "no switch of the file is in the fabric";
}

}  // namespace
}  // namespace weft
