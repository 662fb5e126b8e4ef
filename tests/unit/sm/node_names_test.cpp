// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The node name map: its format, errors with file and line, and the names in the fabric.
#include "sm/discovery/node_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "sm/dumps.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(NodeNames, ReadsTheFormatOfIbnetdiscover) {
  const auto names = parse_node_names(
      "# names\n\n0x0010000000000001 \"spine 1, upper\"  # a comment\n\t20000000000010\t\"h\"\r\n",
      "names");
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_THAT(*names, ElementsAre(Pair(Guid(0x10000000000001), "spine 1, upper"),
                                  Pair(Guid(0x20000000000010), "h")));
}

TEST(NodeNames, ReportsErrorsWithTheirPlace) {
  const auto wrong = [](std::string text) {
    const auto names = parse_node_names(std::move(text), "names");
    return names ? "nothing" : names.error().message;
  };
  EXPECT_EQ(wrong("0x1 \"a\"\n  leaf \"b\"\n"),
            "names:2:3: found 'leaf', expected the GUID of a node in hex");
  EXPECT_EQ(wrong("0x1 name\n"), "names:1:5: found 'name', expected a name in double quotes");
  EXPECT_EQ(wrong("0x1\n"),
            "names:1:4: found the end of the line, expected a name in double quotes");
  EXPECT_THAT(wrong("0x1 \"name\n"), HasSubstr("expected a name in double quotes"));
  EXPECT_EQ(wrong("0x1 \" \"\n"),
            "names:1:5: found ' ', expected a name of 1 to 128 printable characters");
  EXPECT_THAT(wrong("0x1 \"\x1b[2J\"\n"), HasSubstr("1 to 128 printable"));
  EXPECT_THAT(wrong("0x1 \"a\" b\n"), HasSubstr("expected the end of the line or a comment"));
  EXPECT_EQ(wrong("0x1 \"a\"\n1 \"b\"\n"),
            "names:2: second name of node 0x0000000000000001: expected one");
  EXPECT_THAT(wrong("0x0 \"a\"\n"), HasSubstr("expected the GUID"));
}

TEST(NodeNames, NamesOverrideDescriptions) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.node_names[Guid(0x0010000000000001)] = "upper left";
  managed.start();
  ASSERT_TRUE(managed.settle());
  const Fabric& fabric = managed.known();
  EXPECT_EQ(fabric.node(*fabric.find_node(Guid(0x0010000000000001))).description, "upper left");
  const NodeId renamed = *fabric.find_node(Guid(0x0010000000000001));
  EXPECT_EQ(managed.sm().snapshot()->nodes[renamed.value()].own_description, "leaf-1");
  const TempDir folder;
  const auto snapshot = managed.sm().snapshot();
  ASSERT_TRUE(write_dumps(snapshot->fabric, snapshot->routes, folder.path(),
                          {.sm = snapshot->sm, .subnet_only = true}));
  EXPECT_THAT(read_file(folder / "opensm-subnet.lst").value(), HasSubstr("{upper left}"));
  EXPECT_FALSE(read_file(folder / "opensm.fdbs"));
}

TEST(NodeNames, DescriptionsAreEscapedBeforeUseInTheFabric) {
  const std::string hostile = "leaf\nE -> forged\x1b[2J\xC2\x9B\xFF";
  const std::string escaped = "leaf\\nE -> forged\\x1b[2J\\xc2\\x9b\\xff";
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  const NodeId host(managed.fabric().node_count() - 1);
  const auto known = [&](NodeId node) {
    return *managed.known().find_node(managed.fabric().node(node).node_guid);
  };
  const auto name_of = [&](NodeId node) { return managed.known().node(known(node)).description; };
  const auto received = [&](NodeId node) {
    return managed.sm().snapshot()->nodes[known(node).value()].own_description;
  };
  managed.emulated().set_description(NodeId(0), hostile);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(name_of(NodeId(0)), escaped);
  EXPECT_EQ(received(NodeId(0)), hostile);
  EXPECT_EQ(received(host), "");
  managed.emulated().set_description(host, hostile);  // trap 144
  managed.emulated().set_description(NodeId(0), "leaf");
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(name_of(host), escaped);
  EXPECT_EQ(received(host), hostile);
  EXPECT_EQ(name_of(NodeId(0)), "leaf");
  EXPECT_EQ(received(NodeId(0)), "");
}

}  // namespace
}  // namespace weft
