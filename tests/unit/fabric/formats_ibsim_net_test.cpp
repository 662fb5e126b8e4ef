// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/errors.h"
#include "support/fabric_compare.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::HasSubstr;

TEST(IbsimNet, AssignsGuidsAsIbsimDoes) {
  // ibsim 0.12 assigns the expected GUIDs to this net, according to ibnetdiscover.
  const auto got = read_fabric_text(
      "Switch\t8 \"Switch1\"\n"
      "[1]\t\"Hca1\"[1]\n"
      "[3]\t\"Switch2\"[3]\n"
      "\n"
      "Hca\t2 \"Hca1\"\n"
      "[1]\t\"Switch1\"[1]\n"
      "\n"
      "Switch 8 \"Switch2\"\n"
      "[1]\t\"Hca2\" [1]\n"
      "[3]\t\"Switch1\"[3] w=1\n"
      "\n"
      "Hca\t3 \"Hca2\"\n"
      "[1]\t\"Switch2\"[1]\n",
      "net");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, "ibsim");
  EXPECT_EQ(joined(got->warnings), "");
  const Fabric& fabric = got->fabric;
  EXPECT_EQ(fabric.link_count(), 3u);
  EXPECT_EQ(fabric.node(NodeId(0)).node_guid, Guid(0x200000));
  EXPECT_EQ(fabric.node(NodeId(1)).node_guid, Guid(0x200001));
  EXPECT_EQ(fabric.node(NodeId(2)).node_guid, Guid(0x100000));
  EXPECT_EQ(fabric.node(NodeId(3)).node_guid, Guid(0x100003));
  EXPECT_EQ(fabric.node(NodeId(3)).description, "Hca2");
  EXPECT_EQ(fabric.ports(NodeId(3))[1].guid, Guid(0x100004));
  EXPECT_EQ(fabric.ports(NodeId(0))[3].width, LinkWidth::k1x);
}

TEST(IbsimNet, AssignsGuidsUpwardsFromTheLastGivenGuid) {
  const auto got = read_fabric_text(
      "switchguid=0xabc0\nSwitch 8 \"Switch1\"\n\n"
      "caguid=0xdef0(def1)\nHca 2 \"Hca1\"\n\n"
      "Switch 8 \"Switch2\"\n\n"
      "Hca 3 \"Hca2\"\n",
      "net");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.node(NodeId(1)).node_guid, Guid(0xabc1));
  EXPECT_EQ(got->fabric.node(NodeId(3)).node_guid, Guid(0xdef3));
}

TEST(IbsimNet, SkipsGuidsInUse) {
  const auto got = read_fabric_text(
      "Switch 8 \"A\"\n\nswitchguid=0x200001\nSwitch 8 \"B\"\n\nswitchguid=0x200000\n"
      "Switch 8 \"C\"\n\nHca 1 \"H\"\n",
      "net");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.switch_count(), 3u);
  EXPECT_EQ(got->fabric.node(NodeId(2)).description, "A");
  EXPECT_EQ(got->fabric.node(NodeId(2)).node_guid, Guid(0x200002));
}

TEST(IbsimNet, IncludesFilesRelativeToTheIncludingFile) {
  const TempDir dir;
  ASSERT_TRUE(make_directory(dir / "sub"));
  ASSERT_TRUE(
      write_file(dir / "top.net", "Switch 8 \"S\"\n[1] \"H\"[1]\n\ninclude \"sub/a.net\"\n"));
  ASSERT_TRUE(write_file(dir / "sub/a.net", "include b.net\ndo link \"S\"[2] \"H\"[2]\n"));
  ASSERT_TRUE(write_file(dir / "sub/b.net", "Hca 2 \"H\"\n[1] \"S\"[1]\n"));
  const auto got = read_fabric(dir / "top.net");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.link_count(), 1u);
  EXPECT_THAT(joined(got->warnings), HasSubstr("sub/a.net:2: skipped: 'do link"));
}

TEST(IbsimNet, RejectsRecursiveAndDeepIncludes) {
  const TempDir dir;
  ASSERT_TRUE(write_file(dir / "a.net", "Switch 8 \"S\"\ninclude b.net\n"));
  ASSERT_TRUE(write_file(
      dir / "b.net", "\ninclude ../" + dir.path().substr(dir.path().rfind('/') + 1) + "/a.net\n"));
  EXPECT_THAT(error_of(read_fabric(dir / "a.net")), HasSubstr("b.net:2: "));
  EXPECT_THAT(error_of(read_fabric(dir / "a.net")),
              HasSubstr("includes itself: found within 2 files"));
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(write_file(dir / (std::to_string(i) + ".net"),
                           "include " + std::to_string(i + 1) + ".net\n"));
  EXPECT_THAT(error_of(read_fabric(dir / "0.net")),
              HasSubstr("15.net:1: found an include within 16 files, expected fewer than 16"));
}

TEST(IbsimNet, RejectsIncludesOfFilesThatCannotBeRead) {
  const TempDir dir;
  ASSERT_TRUE(write_file(dir / "absent.net", "include none.net\n"));
  EXPECT_THAT(read_fabric(dir / "absent.net"), HasError(dir / "absent.net", 1, "include: "));
  ASSERT_TRUE(write_file(dir / "quote.net", "include \"\n"));
  EXPECT_THAT(read_fabric(dir / "quote.net"), HasError(dir / "quote.net", 1, "include: "));
  ASSERT_TRUE(write_file(dir / "dir.net", "include .\n"));
  EXPECT_THAT(read_fabric(dir / "dir.net"), HasError(dir / "dir.net", 1, "include: "));
}

TEST(IbsimNet, RejectsLinesThatIbsimRejects) {
  const auto got = read_fabric_text("Hca 1 \"H\"\nmodule foo\n", "net");
  ASSERT_FALSE(got);
  EXPECT_EQ(
      got.error().message,
      "net:2: found 'module foo', expected Switch, Hca, Ca, Rt, [port], name=value, include or "
      "do");
}

TEST(IbsimNet, WritesACaFirstAndRatesThatIbsimSupports) {
  const auto got = read_fabric_text(
      "Switch 8 \"S-1\" # \"s\" base port 0 lid 3 lmc 0\n"
      "[1] \"H-3\"[1](4) # \"h\" lid 1 4xXDR\n"
      "[2] \"S-1\"[3] # \"s\" lid 1 4xHDR\n"
      "Ca 1 \"H-2\" # \"not connected\"\n"
      "Ca 1 \"H-3\" # \"h\"\n"
      "[1](4) \"S-1\"[1] # lid 0 lmc 0 \"s\" lid 1 4xXDR\n",
      "f");
  ASSERT_TRUE(got) << got.error().message;
  const std::string text = write_fabric_text(got->fabric, **find_writer("tree.net"));
  EXPECT_LT(text.find("Ca\t1 \"H-0000000000000003\""), text.find("Switch"));
  EXPECT_LT(text.find("Switch"), text.find("Ca\t1 \"H-0000000000000002\""));
  EXPECT_THAT(text, HasSubstr("\"s\" lid 3 4xHDR (4xXDR)\n"));
  const auto again = read_fabric_text(text, "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(joined(differences(got->fabric, again->fabric)), "");
}

}  // namespace
}  // namespace weft
