// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/slurm_topology.h"
#include "support/fabric_compare.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

ReadResult read_slurm(const std::string& text) {
  auto got = read_fabric_text(text, "f");
  EXPECT_TRUE(got) << got.error().message;
  if (got) {
    EXPECT_EQ(got->format, "slurm");
  }
  return got ? std::move(*got) : ReadResult{};
}

std::string expanded(const std::string& text, std::size_t left = 1000) {
  const auto items = expand_hostlist(text, left);
  if (!items) return fmt::format("{}: {}", items.error().column, items.error().message);
  std::string names;
  for (const HostlistItem& item : *items)
    for (const std::string& name : item.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

TEST(Hostlist, ListsEveryName) {
  EXPECT_EQ(expanded("a"), "a");
  EXPECT_EQ(expanded("a,b[1-3],c"), "a b1 b2 b3 c");
  EXPECT_EQ(expanded("n[008-011,1]x"), "n008x n009x n010x n011x n1x");
  EXPECT_EQ(expanded("r[1-2]n[3,4]"), "r1n3 r1n4 r2n3 r2n4");
  EXPECT_EQ(expanded("[7]"), "7");
}

TEST(Hostlist, ReportsThePositionOfAnError) {
  EXPECT_EQ(expanded("a[1-3"), "2: found '[1-3', expected a closing ']'");
  EXPECT_EQ(expanded("a]"), "1: found 'a]', expected '[' before ']'");
  EXPECT_EQ(expanded("a,,b"), "3: found ',b', expected a name");
  EXPECT_EQ(expanded("a,"), "3: found the end of the line, expected a name");
  EXPECT_EQ(expanded("a[3-1]"), "3: found '3-1', expected a number or a range such as 1-16");
  EXPECT_EQ(expanded("a[x]"), "3: found 'x', expected a number or a range such as 1-16");
  EXPECT_EQ(expanded("a[0000000000000000001-2]"),
            "3: found '0000000000000000001-2', expected a number or a range such as 1-16");
  EXPECT_EQ(expanded("a[]"), "3: found ']', expected a number or a range such as 1-16");
  EXPECT_EQ(expanded("a[1,,2]"), "5: found ',2]', expected a number or a range such as 1-16");
  EXPECT_EQ(expanded("a[1-999999999999]"),
            "3: found '1-999999999999', expected at most 1000 more names");
  EXPECT_EQ(expanded("a[1-100][1-100]"), "10: found '1-100', expected at most 1000 more names");
  EXPECT_EQ(expanded("a,b,c", 2), "5: found 'c', expected no more names");
}

std::string assumed(int links) {
  return fmt::format(
      "f: Slurm's topology has no link counts: assumed {} links between switches, one for each "
      "connected pair: if there are parallel links, use the output of ibnetdiscover\n",
      links);
}

TEST(Slurm, DoesNotWarnOfLinkCountsWithOneSwitch) {
  EXPECT_EQ(joined(read_slurm("SwitchName=s Nodes=n[1-3]\n").warnings), "");
}

TEST(Slurm, ReadsATreeOfSwitches) {
  const ReadResult got = read_slurm(
      "# by hand\n\n"
      "SwitchName=root Switches=leaf[1-2]  # the top\n"
      "switchname=leaf1 NODES=n[1-2] LinkSpeed=4\n"
      "SwitchName=leaf2 \\\n  Nodes=n3\n");
  EXPECT_EQ(joined(got.warnings), assumed(2));
  const Fabric& fabric = got.fabric;
  ASSERT_EQ(fabric.switch_count(), 3u);
  ASSERT_EQ(fabric.ca_count(), 3u);
  EXPECT_EQ(fabric.link_count(), 5u);
  EXPECT_EQ(fabric.switch_link_count(), 2u);
  EXPECT_EQ(fabric.node(SwitchId(0)).description, "root");
  EXPECT_EQ(fabric.node(SwitchId(0)).node_guid, Guid(0x200000));
  EXPECT_EQ(fabric.node(SwitchId(1)).port_count, 3);
  EXPECT_EQ(fabric.node(NodeId(3)).description, "n1");
  EXPECT_EQ(fabric.node(NodeId(3)).node_guid, Guid(0x100000));
}

TEST(Slurm, ReadsNeighborsAndGuidsOfSharp) {
  const ReadResult got = read_slurm(
      "SwitchName=ibsw1 Nodes=0x155dfffd341941\n"
      "SwitchName=ibsw2 Switches=ibsw3\n"
      "SwitchName=ibsw3 Switches=ibsw2,ibsw1\n"
      "SwitchName=S-0008f1050020369c Nodes=H-78e7d1030024535c Switches=ibsw1\n");
  EXPECT_EQ(joined(got.warnings), assumed(3));
  EXPECT_EQ(got.fabric.switch_count(), 4u);
  EXPECT_EQ(got.fabric.switch_link_count(), 3u);
  EXPECT_EQ(got.fabric.link_count(), 5u);
  EXPECT_TRUE(got.fabric.find_node(Guid(0x0008f1050020369c)));
  EXPECT_TRUE(got.fabric.find_node(Guid(0x78e7d1030024535c)));
  EXPECT_TRUE(got.fabric.find_endport(Guid(0x155dfffd341941)));
}

TEST(Slurm, WarnsOfContradictions) {
  const ReadResult got = read_slurm(
      "SwitchName=s1 Nodes=circe-n[001-003],n[004-005]\n"
      "SwitchName=s2 Nodes=circe-n[003-004],s1\n"
      "SwitchName=s3 Switches=s1,s9,s1,s3\n"
      "SwitchName=s4\n");
  EXPECT_EQ(
      joined(got.warnings),
      "f:4: switch 's4' has neither Nodes= nor Switches=\n"
      "f:1: hosts 'n[004-005]': other hosts of this line begin with 'circe-n': possible typo\n"
      "f:2: host 'circe-n003' is on switch 's2' here and on 's1' in line 1: left out here\n"
      "f:2: 's1' is a switch and is listed in Nodes= of 's2': left out\n"
      "f:3: switch 's9', named by 's3', has no SwitchName= line\n"
      "f:3: switch 's3' names 's1' twice: taken as one cable\n"
      "f:3: switch 's3' is in its own list of switches: left out\n" +
          assumed(2));
  EXPECT_EQ(got.fabric.switch_count(), 5u);
  EXPECT_EQ(got.fabric.ca_count(), 6u);
  EXPECT_EQ(got.fabric.link_count(), 8u);
}

TEST(Slurm, ReportsThePositionOfAnError) {
  const std::string head = "SwitchName=s1 Nodes=a\n";
  EXPECT_EQ(error_of(head + "SwitchName=s1 Nodes=b\n"),
            "f:2:1: switch 's1' is described twice, first in line 1");
  EXPECT_EQ(error_of(head + "Nodes=b\n"), "f:2:1: found 'Nodes=b', expected SwitchName=NAME");
  EXPECT_EQ(error_of(head + "SwitchName=s[1-2] Nodes=b\n"),
            "f:2:12: found 's[1-2]', expected the name of one switch");
  EXPECT_EQ(error_of("SwitchName=" + std::string(257, 's') + " Nodes=b\n").substr(0, 21),
            "f:1:12: found 'ssssss");
  EXPECT_EQ(read_good("SwitchName=" + std::string(256, 's') + " Nodes=b\n").fabric.switch_count(),
            1u);
  EXPECT_EQ(error_of(head + "SwitchName=s2 Blocks=b\n"),
            "f:2:15: found 'Blocks=b', expected SwitchName=, Nodes=, Switches= or LinkSpeed=");
  EXPECT_EQ(error_of(head + "SwitchName=s2 Nodes=b[1-\n"),
            "f:2:22: found '[1-', expected a closing ']'");
  EXPECT_EQ(error_of(head + "SwitchName=s2 \\\nNodes=b[1-200000]\n"),
            "f:2:23: found '1-200000', expected at most 199999 more names");
  EXPECT_EQ(error_of(head + "SwitchName=s2 Nodes=b[1-255]\n"),
            "f:2:1: switch 's2' has 255 cables, expected at most 254");
  EXPECT_EQ(error_of("SwitchName=s1 Nodes=0x10,0x010\n"),
            "f:1:1: '0x010' has the GUID of an earlier node");
}

}  // namespace
}  // namespace weft
