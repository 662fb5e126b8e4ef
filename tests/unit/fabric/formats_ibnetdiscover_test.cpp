// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/fabric_compare.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

using testing::HasSubstr;

// Two switches with a cable between them, and a host on the first switch:   H1 -- S1 -- S2
const std::string kTwoSwitches =
    "vendid=0x2c9\n"
    "devid=0xd2f0\n"
    "sysimgguid=0x10\n"
    "switchguid=0x11(12)\n"
    "Switch\t36 \"S-0000000000000011\"\t\t# \"leaf # 1\" enhanced port 0 lid 7 lmc 0\n"
    "[1]\t\"S-0000000000000021\"[2]\t\t# \"spine\" lid 8 4xHDR\n"
    "[2]\t\"H-0000000000000031\"[1](32) \t\t# \"host mlx5_0 \" lid 10 2xNDR\n"
    "\n"
    "switchguid=0x21(21)\n"
    "Switch\t36 \"S-0000000000000021\"\t\t# \"spine\" base port 0 lid 8 lmc 0\n"
    "[2]\t\"S-0000000000000011\"[1]\t\t# \"leaf # 1\" lid 7 4xHDR\n"
    "\n"
    "caguid=0x31\n"
    "Ca\t2 \"H-0000000000000031\"\t\t# \"host mlx5_0 \"\n"
    "[1](32) \t\"S-0000000000000011\"[2]\t\t# lid 10 lmc 1 \"leaf # 1\" lid 7 2xNDR\n";

TEST(Ibnetdiscover, ReadsEveryAttribute) {
  const ReadResult got = read_good(kTwoSwitches);
  EXPECT_EQ(joined(got.warnings), "");
  const Fabric& fabric = got.fabric;
  ASSERT_EQ(fabric.switch_count(), 2u);
  ASSERT_EQ(fabric.ca_count(), 1u);
  EXPECT_EQ(fabric.link_count(), 2u);
  const Node& leaf = fabric.node(SwitchId(0));
  EXPECT_EQ(leaf.description, "leaf # 1");
  EXPECT_EQ(leaf.vendor_id, 0x2c9u);
  EXPECT_EQ(leaf.device_id, 0xd2f0u);
  EXPECT_EQ(leaf.system_guid, Guid(0x10));
  EXPECT_EQ(leaf.port_count, 36);
  EXPECT_TRUE(leaf.enhanced_port0);
  EXPECT_FALSE(fabric.node(SwitchId(1)).enhanced_port0);
  EXPECT_EQ(fabric.ports(SwitchId(0))[0].guid, Guid(0x12));
  EXPECT_EQ(fabric.ports(SwitchId(0))[0].lid, Lid(7));
  EXPECT_EQ(fabric.ports(SwitchId(0))[1].speed, LinkSpeed::kHdr);
  EXPECT_EQ(fabric.ports(SwitchId(0))[2].width, LinkWidth::k2x);
  EXPECT_EQ(fabric.node(NodeId(2)).description, "host mlx5_0 ");
  const Port& host = fabric.ports(NodeId(2))[1];
  EXPECT_EQ(host.guid, Guid(0x32));
  EXPECT_EQ(host.lid, Lid(10));
  EXPECT_EQ(host.lmc, 1);
  EXPECT_EQ(host.speed, LinkSpeed::kNdr);
}

TEST(Ibnetdiscover, AcceptsAnyLineEndings) {
  const Fabric fabric = read_good(kTwoSwitches).fabric;
  for (const char* const end : {"\r\n", "\r"}) {
    std::string text = "\xEF\xBB\xBF";
    for (const char c : kTwoSwitches) c == '\n' ? text.append(end) : text.append(1, c);
    EXPECT_EQ(joined(differences(fabric, read_good(text).fabric)), "");
  }
}

TEST(Ibnetdiscover, AcceptsTextWithoutBlankLinesTabsAndLeadingZeros) {
  std::string text;
  for (std::size_t i = 0; i < kTwoSwitches.size(); ++i) {
    if (kTwoSwitches.substr(i, 2) == "\n\n") continue;
    text.push_back(kTwoSwitches[i] == '\t' ? ' ' : kTwoSwitches[i]);
  }
  const std::string long_id = "\"S-0000000000000011\"[1]";
  text.replace(text.find(long_id), long_id.size(), "\"S-11\"[1]");
  const Fabric fabric = read_good(kTwoSwitches).fabric;
  EXPECT_EQ(joined(differences(fabric, read_good(text).fabric)), "");
}

TEST(Ibnetdiscover, AcceptsPortLabels) {
  const ReadResult got = read_good(
      "Switch 65 \"S-1\" # \"a\" base port 0 lid 1 lmc 0\n"
      "[1](1/1/1) \"S-2\"[63](1/32/1) # \"b\" lid 2 4xNDR\n"
      "[2][ext 5] \"H-3\"[1](3) # \"c\" lid 3 4xNDR\n"
      "Switch 65 \"S-2\" # \"b\" base port 0 lid 2 lmc 0\n"
      "[63](1/32/1) \"S-1\"[1] # \"a\" lid 1 4xNDR\n"
      "Ca 1 \"H-3\" # \"c\"\n"
      "[1](1)(77) \"S-1\"[2] # lid 3 lmc 0 \"a\" lid 1 4xNDR\n");
  EXPECT_EQ(joined(got.warnings), "");
  EXPECT_EQ(got.fabric.link_count(), 2u);
  EXPECT_EQ(got.fabric.ports(NodeId(2))[1].guid, Guid(0x77));
}

TEST(Ibnetdiscover, SkipsTheOutputOfOtherPrograms) {
  const ReadResult got = read_good(
      "[root@ufm1 ~]# ibnetdiscover \n"
      "[2024-01-31 10:00:00] session opened\n"
      "Non-Chassis Nodes\n"
      "DR path slid 0; dlid 0; 0,1 -> new Switch {0000000000000001} portnum 0 lid 0-0 \"\"\n" +
      kTwoSwitches + "src/query_smp.c:195; umad (DR path ...) bad status 110\n");
  EXPECT_EQ(got.fabric.link_count(), 2u);
  EXPECT_EQ(joined(got.warnings),
            "f:1: skipped: '[root@ufm1 ~]# ibnetdiscover '\n"
            "f:2: skipped: '[2024-01-31 10:00:00] session opened'\n"
            "f:20: skipped: 'src/query_smp.c:195; umad (DR path ...) ...'\n");
}

TEST(Ibnetdiscover, KeepsALoopbackCableAndParallelCables) {
  const ReadResult got = read_good(
      "Switch 8 \"S-1\" # \"a\" base port 0 lid 1 lmc 0\n"
      "[1] \"S-1\"[2] # \"a\" lid 1 4xEDR\n"
      "[2] \"S-1\"[1] # \"a\" lid 1 4xEDR\n"
      "[3] \"S-2\"[3] # \"b\" lid 2 4xEDR\n"
      "[4] \"S-2\"[4] # \"b\" lid 2 1xSDR\n"
      "Switch 8 \"S-2\" # \"b\" base port 0 lid 2 lmc 0\n"
      "[3] \"S-1\"[3] # \"a\" lid 1 4xEDR\n"
      "[4] \"S-1\"[4] # \"a\" lid 1 4xSDR\n");
  EXPECT_EQ(joined(got.warnings), "");
  EXPECT_EQ(got.fabric.switch_link_count(), 3u);
  EXPECT_EQ(got.fabric.channel_count(), 4u);
  EXPECT_EQ(got.fabric.ports(SwitchId(1))[4].width, LinkWidth::k1x);  // the width of the slower end
}

TEST(Ibnetdiscover, ReadsARouter) {
  const ReadResult got = read_good(
      "Switch 8 \"S-1\" # \"a\" base port 0 lid 1 lmc 0\n"
      "[3] \"R-2\"[1](3) # \"r\" lid 9 1xXDR\n"
      "rtguid=0x2\n"
      "Rt 2 \"R-2\" # \"r\"\n"
      "[1](3) \"S-1\"[3] # lid 9 lmc 0 \"a\" lid 1 1xXDR s=4 w=1 v=2 e=8\n");
  EXPECT_EQ(joined(got.warnings), "");
  EXPECT_EQ(got.fabric.node(NodeId(1)).type, NodeType::kRouter);
  EXPECT_EQ(got.fabric.ports(NodeId(1))[1].data_vls, 2);
  EXPECT_EQ(got.fabric.ports(NodeId(1))[1].speed, LinkSpeed::kXdr);
}

TEST(Ibnetdiscover, ReadsAnLmcUpTo7) {
  for (const int lmc : {7, 8}) {
    const ReadResult got = read_good(
        "Switch 8 \"S-1\" # \"a\" base port 0 lid 1 lmc 0\n[1] \"H-2\"[1](2) # \"b\" lid 128 "
        "4xEDR\n"
        "Ca 1 \"H-2\" # \"b\"\n[1](2) \"S-1\"[1] # lid 128 lmc " +
        std::to_string(lmc) + " \"a\" lid 1 4xEDR\n");
    EXPECT_EQ(got.fabric.ports(NodeId(1))[1].lmc, lmc == 7 ? 7 : 0);
    EXPECT_EQ(joined(got.warnings),
              lmc == 7 ? "" : "f:4: found LMC '8', expected 0 to 7: taken as 0\n");
  }
}

TEST(Ibnetdiscover, DropsDamagedLidsGuidsAndRatesWithAWarning) {
  const ReadResult got = read_good(
      "sysimgguid=0x12zz\n"
      "Switch 8 \"S-1\" # \"a\" base port 0 lid  lmc 0\n"
      "[1] \"H-2\"[1](2) # \"b\" lid  4xEDR\n"
      "[2] \"S-9\"[2] # \"c\" lid -1 4xEDR\n"
      "Switch 8 \"S-9\" # \"c\" base port 0 lid -1 lmc 0\n"
      "[2] \"S-1\"[2] # \"a\" lid 1 4xWARP\n"
      "Switch 8 \"S-4\" # \"d\" base port 0 lid 65535 lmc 0\n"
      "Ca 1 \"H-2\" # \"b\"\n"
      "[1](xx) \"S-1\"[1] # lid 50000 lmc 0 \"a\" lid 1 4xEDR\n");
  EXPECT_EQ(joined(got.warnings),
            "f:1: sysimgguid: found '0x12zz', expected up to 16 hex digits: ignored\n"
            "f:2: found LID '', expected 0 to 49151: taken as none\n"
            "f:5: found LID '-1', expected 0 to 49151: taken as none\n"
            "f:6: found rate '4xWARP', expected one such as 4xHDR: ignored\n"
            "f:9: port GUID: found 'xx', expected up to 16 hex digits: ignored\n"
            "f:9: found LID '50000', expected 0 to 49151: taken as none\n");
  EXPECT_EQ(got.fabric.link_count(), 2u);
  EXPECT_EQ(got.fabric.lid_top(), Lid(0));
  EXPECT_EQ(got.fabric.ports(SwitchId(0))[2].speed, LinkSpeed::kEdr);
}

TEST(Ibnetdiscover, GeneratesAGuidForANodeWithoutAReadableGuid) {
  const ReadResult got = read_good(
      "caguid=0x22host2\n"
      "Ca 1 \"H-22host2\" # \"host 2\"\n"
      "[1](22host2) \"S-1\"[1] # lid 3 lmc 0 \"a\" lid 1 4xEDR\n"
      "Switch 8 \"S-1\" # \"a\" base port 0 lid 1 lmc 0\n"
      "[1] \"H-22host2\"[1](22host2) # \"host 2\" lid 3 4xEDR\n");
  EXPECT_EQ(got.fabric.link_count(), 1u);
  EXPECT_EQ(got.fabric.node(NodeId(1)).node_guid, Guid(0x100000));
  EXPECT_THAT(joined(got.warnings),
              HasSubstr("f:2: node \"H-22host2\" has no readable GUID: given 0x0000000000100000"));
}

TEST(Ibnetdiscover, PrefersTheCableThatBothEndsList) {
  const ReadResult got = read_good(
      "Switch 8 \"S-1\" # \"a\"\n"
      "[1] \"S-3\"[1]\n"
      "Switch 8 \"S-2\" # \"b\"\n"
      "[1] \"S-3\"[1]\n"
      "[2] \"S-3\"[2]\n"
      "Switch 8 \"S-3\" # \"c\"\n"
      "[1] \"S-2\"[1]\n"
      "[2] \"S-1\"[2]\n");
  EXPECT_EQ(got.fabric.link_count(), 2u);
  EXPECT_EQ(got.fabric.ports(SwitchId(0))[1].peer, kNoPort);
  EXPECT_EQ(joined(got.warnings),
            "f:2: \"S-1\"[1] to \"S-3\"[1]: the cable is left out: 'c' (0x0000000000000003) port 1 "
            "is cabled to 'b' (0x0000000000000002) port 1 and to 'a' (0x0000000000000001) port 1\n"
            "f:5: \"S-2\"[2] to \"S-3\"[2]: the peer's record has \"S-3\"[2] to \"S-1\"[2] at f:8\n"
            "f:8: \"S-3\"[2] to \"S-1\"[2]: the cable is left out: 'c' (0x0000000000000003) port 2 "
            "is cabled to 'b' (0x0000000000000002) port 2 and to 'a' (0x0000000000000001) port "
            "2\n");
}

TEST(Ibnetdiscover, SkipsCablesToPeersWithoutARecord) {
  const ReadResult got = read_good(
      "Switch 8 \"S-1\" # \"a\"\n"
      "[1] \"S-3\"[1]\n"
      "[2] \"S-2\"[9]\n"
      "[3] \"S-1\"[3]\n"
      "[4] \"S-2\"[0]\n"
      "[5] \"S-2\"[5]\n"
      "[5] \"S-2\"[6]\n"
      "Switch 8 \"S-2\" # \"b\"\n");
  EXPECT_EQ(got.fabric.link_count(), 1u);
  EXPECT_EQ(joined(got.warnings),
            "f:7: \"S-1\"[5] to \"S-2\"[6]: the port is already cabled at f:6: ignored\n"
            "f:2: \"S-1\"[1] to \"S-3\"[1]: the peer has no record: the cable is left out\n"
            "f:3: \"S-1\"[2] to \"S-2\"[9]: the cable is left out: 'b' (0x0000000000000002) port "
            "9: the node has 8 ports\n"
            "f:4: \"S-1\"[3] to \"S-1\"[3]: the cable is left out: 'a' (0x0000000000000001) port "
            "3: cabled to itself\n"
            "f:5: \"S-1\"[4] to \"S-2\"[0]: the cable is left out: 'a' (0x0000000000000001) port 4 "
            "to 'b' (0x0000000000000002) port 0: port 0 cannot have a cable\n");
}

TEST(Ibnetdiscover, ReportsTheLineOfAnError) {
  const std::string head = "Switch 8 \"S-1\" # \"a\"\n";
  EXPECT_EQ(error_of(head + "[1] \"S-2\n"),
            "f:2:5: found '\"S-2', expected a node id that ends in a quote");
  EXPECT_EQ(error_of(head + "[1\n"),
            "f:2:1: found '[1', expected a port in brackets, [1] to [254]");
  EXPECT_EQ(error_of(head + "[1](4\n"),
            "f:2:5: found '4', expected a label or GUID that ends in )");
  EXPECT_EQ(error_of(head + "[1]\t\n"),
            "f:2:5: found the end of the line, expected a node id in quotes");
  EXPECT_EQ(error_of(head + "[1] \"S-2\"\n"),
            "f:2:10: found the end of the line, expected a port in brackets, [1] to [254]");
  EXPECT_EQ(error_of(head + "[1] \"S-2\"[300]\n"),
            "f:2:10: found '[300]', expected a port in brackets, [1] to [254]");
  EXPECT_EQ(error_of(head + "[9] \"S-2\"[1]\n"),
            "f:2: 'a' (0x0000000000000001) port 9: the node has 8 ports");
  EXPECT_EQ(error_of("vendid=0x1\nSwitch 255 \"S-1\"\n"),
            "f:2:8: found '255 \"S-1\"', expected a number of ports up to 254");
  EXPECT_THAT(error_of(head + "[1] \"" + std::string(300, 'x') + "\"[1]"),
              HasSubstr("expected a node id of 1 to 256 characters"));
  EXPECT_EQ(error_of("vendid=0x1\n[1] \"S-1\"[1]\n"),
            "f:2: found a port line, expected a Switch, Ca or Rt line first");
  EXPECT_EQ(error_of("vendid=0x1\n"),
            "f: found no node, expected lines that begin with Switch, Ca or Rt");
}

TEST(Ibnetdiscover, RefusesTwoNodesWithTheSameIdOrGuid) {
  EXPECT_EQ(error_of("Switch 8 \"S-1\"\nCa 1 \"H-2\"\nSwitch 8 \"S-01\"\n"),
            "f:3: node \"S-01\" is described twice, first at f:1");
  EXPECT_EQ(error_of("Switch 8 \"S-1\"\nCa 1 \"H-1\"\n"),
            "f:2: node \"H-1\" has GUID 0x0000000000000001, which \"S-1\" at f:1 has");
}

TEST(Ibnetdiscover, WritesTextThatTheReaderAccepts) {
  const Fabric fabric = read_good(kTwoSwitches).fabric;
  const std::string text = write_fabric_text(fabric, **find_writer("ibnetdiscover"));
  EXPECT_THAT(text, HasSubstr("switchguid=0x11(12)\nSwitch\t36 \"S-0000000000000011\"\t\t# "
                              "\"leaf # 1\" enhanced port 0 lid 7 lmc 0\n"));
  EXPECT_THAT(text, HasSubstr("[1](32) \t\"S-0000000000000011\"[2]\t\t# lid 10 lmc 1 \"leaf # 1\" "
                              "lid 7 2xNDR\n"));
  EXPECT_EQ(joined(differences(fabric, read_good(text).fabric)), "");
}

TEST(Ibnetdiscover, EscapesLineBreaksInNames) {
  FabricBuilder builder;
  Node node;
  node.type = NodeType::kSwitch;
  node.node_guid = Guid(1);
  node.port_count = 4;
  node.description = "a \"quoted\" name # 1\nSwitch 8 \"S-2\"";
  builder.add_node(node);
  const std::string text =
      write_fabric_text(builder.build().value(), **find_writer("ibnetdiscover"));
  const ReadResult got = read_good(text);
  ASSERT_EQ(got.fabric.node_count(), 1u);
  EXPECT_EQ(got.fabric.node(SwitchId(0)).description, "a \"quoted\" name # 1\\nSwitch 8 \"S-2\"");
}

}  // namespace
}  // namespace weft
