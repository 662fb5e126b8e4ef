// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/db_csv.h"

#include <gtest/gtest.h>

#include <string>

#include "fabric/formats/read.h"
#include "support/fabric_compare.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

// 'sw;1:U1' --- 'host, the "first"'
const std::string kNodes =
    "START_NODES\n"
    "NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,DeviceID,revision,VendorID\n"
    "\"sw;1:U1\",3,2,0x1f,0x10,54002,160,713\n"
    "\"host, the \"first\"\",2,1,N/A,0x20,N/A,0,713\n"
    "END_NODES\n\n";
const std::string kPorts =
    "START_PORTS\n"
    "NodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv,VLCap,MTUCap\n"
    "0x10,0x11,0,7,0,N/A,0,0,5\n"
    "0x10,0x10,3,0,0,2,2052,4,5\n"
    "0x20,0x22,2,8,1,2,2048,4,4\n"
    "END_PORTS\n";
const std::string kSwitches = "START_SWITCHES\nNodeGUID,ENP0\n0x10,1\nEND_SWITCHES\n";
const std::string kLinks =
    "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x10,3,0x20,2\nEND_LINKS\n";

TEST(DbCsv, ReadsTheSectionsInAnyOrder) {
  const std::string other = "START_OTHER\n\"not, a,row\nEND_OTHER\n";
  for (const std::string& text : {kNodes + kPorts + kSwitches + kLinks + other,
                                  other + kLinks + kSwitches + kPorts + kNodes}) {
    const ReadResult got = read_good(text);
    EXPECT_EQ(got.format, "db-csv");
    EXPECT_EQ(joined(got.warnings), "");
    const Fabric& fabric = got.fabric;
    ASSERT_EQ(fabric.switch_count(), 1u);
    ASSERT_EQ(fabric.ca_count(), 1u);
    EXPECT_EQ(fabric.link_count(), 1u);
    const Node& sw = fabric.node(NodeId(0));
    EXPECT_EQ(sw.description, "sw;1:U1");
    EXPECT_EQ(sw.system_guid, Guid(0x1f));
    EXPECT_EQ(sw.vendor_id, 713u);
    EXPECT_EQ(sw.device_id, 54002);
    EXPECT_EQ(sw.revision, 160u);
    EXPECT_TRUE(sw.enhanced_port0);
    const Node& host = fabric.node(NodeId(1));
    EXPECT_EQ(host.description, "host, the \"first\"");
    EXPECT_EQ(host.system_guid, Guid(0));
    const Port& port0 = fabric.ports(NodeId(0))[0];
    EXPECT_EQ(port0.guid, Guid(0x11));
    EXPECT_EQ(port0.lid, Lid(7));
    const Port& port = fabric.ports(NodeId(1))[2];
    EXPECT_EQ(port.peer, fabric.port_id(NodeId(0), PortNum(3)));
    EXPECT_EQ(port.guid, Guid(0x22));
    EXPECT_EQ(port.lid, Lid(8));
    EXPECT_EQ(port.lmc, 1);
    EXPECT_EQ(port.speed, LinkSpeed::kNdr);
    EXPECT_EQ(port.width, LinkWidth::k4x);
    EXPECT_EQ(port.mtu_cap, Mtu::k2048);
    EXPECT_EQ(port.data_vls, 8);
  }
}

TEST(DbCsv, SelectsTheFastestOfCombinedSpeeds) {
  const std::pair<const char*, LinkSpeed> speeds[] = {
      {"1", LinkSpeed::kSdr},       {"2", LinkSpeed::kDdr},     {"4", LinkSpeed::kQdr},
      {"65540", LinkSpeed::kFdr10}, {"256", LinkSpeed::kFdr},   {"512", LinkSpeed::kEdr},
      {"516", LinkSpeed::kEdr},     {"1024", LinkSpeed::kHdr},  {"2048", LinkSpeed::kNdr},
      {"2052", LinkSpeed::kNdr},    {"0x1000", LinkSpeed::kXdr}};
  for (const auto& [bits, speed] : speeds) {
    const std::string ports = std::string("START_PORTS\nNodeGuid,PortNum,LinkSpeedActv\n0x10,3,") +
                              bits + "\n0x20,2,4096\nEND_PORTS\n";
    EXPECT_EQ(read_good(kNodes + ports + kLinks).fabric.ports(NodeId(0))[3].speed, speed) << bits;
  }
}

TEST(DbCsv, SkipsRowsOfNodesMissingInNodes) {
  const ReadResult got = read_good(
      kNodes +
      "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n0x10,1,0x99,1\n0x10,9,0x20,1\n"
      "0x10,3,0x20,2\n0x10,2,0x20,2\nEND_LINKS\n"
      "START_PORTS\nNodeGuid,PortNum,LinkSpeedActv\n0x98,1,4\n0x20,3,4\n0x20,1,128\nEND_PORTS\n"
      "START_SWITCHES\nNodeGUID,ENP0\n0x97,1\nEND_SWITCHES\n");
  EXPECT_EQ(got.fabric.link_count(), 1u);
  EXPECT_EQ(joined(got.warnings),
            "f:18: LinkSpeedActv: found 128, an unknown speed: ignored\n"
            "f:16: PORTS: section NODES has no node 0x0000000000000098: left out\n"
            "f:17: 'host, the \"first\"' (0x0000000000000020) port 3: the node has 2 ports: left "
            "out\n"
            "f:22: SWITCHES: section NODES has no node 0x0000000000000097: left out\n"
            "f:9: LINKS: section NODES has no node 0x0000000000000099: left out\n"
            "f:10: the cable is left out: 'sw;1:U1' (0x0000000000000010) port 9: the node has 3 "
            "ports\n"
            "f:12: the cable is left out: 'host, the \"first\"' (0x0000000000000020) port 2 is "
            "cabled to 'sw;1:U1' (0x0000000000000010) port 3 and to 'sw;1:U1' "
            "(0x0000000000000010) port 2\n");
}

TEST(DbCsv, ReportsTheLineAndColumnOfAnInvalidRow) {
  const std::string head = "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n";
  EXPECT_EQ(error_of(head + "\"a\",x,1,0x1\nEND_NODES\n"),
            "f:3:5: NumPorts: found 'x', expected a number up to 254");
  EXPECT_EQ(error_of(head + "\"a\",255,1,0x1\nEND_NODES\n"),
            "f:3:5: NumPorts: found '255', expected a number up to 254");
  EXPECT_EQ(error_of(head + "\"a\",,1,0x1\nEND_NODES\n"),
            "f:3:5: NumPorts: found '', expected a number");
  EXPECT_EQ(error_of(head + "\"a\",1,1,N/A\nEND_NODES\n"),
            "f:3:9: NodeGUID: found 'N/A', expected a number");
  EXPECT_EQ(error_of(head + "\"a\",1,4,0x1\nEND_NODES\n"),
            "f:3:1: NodeType: found 4, expected 1 (CA), 2 (switch) or 3 (router)");
  EXPECT_EQ(error_of(head + "\"a\",1,1\nEND_NODES\n"),
            "f:3:1: found 3 values, expected 4 as in the line of column names");
  EXPECT_EQ(error_of(head + "\"a,1,1,0x1\nEND_NODES\n"),
            "f:3:1: found '\"a,1,1,0x1', expected a value that ends in a quote");
  EXPECT_EQ(error_of(head + "\"a\",1,1,0x1\n\"b\",1,1,0x1\nEND_NODES\n"),
            "f:4:1: node 0x0000000000000001 is described twice, first in line 3");
  EXPECT_EQ(error_of("START_NODES\nNodeDesc,NumPorts\n"),
            "f:2:1: section NODES has no column NodeGUID");
  EXPECT_EQ(error_of(head + "\"a\",1,1,0x1\nEND_LINKS\n"),
            "f:4: found END_LINKS in section NODES, expected END_NODES");
  EXPECT_EQ(error_of(head + "\"a\",1,1,0x1\nSTART_LINKS\n"),
            "f:4: found START_LINKS in section NODES, expected END_NODES");
  EXPECT_EQ(error_of(head + "\"a\",1,1,0x1\n"),
            "f:3: the file ends in section NODES, expected END_NODES");
  EXPECT_EQ(error_of(kNodes + "START_PORTS\nNodeGuid,PortNum,LID\n0x10,0,65536\nEND_PORTS\n"),
            "f:9:8: LID: found '65536', expected a number up to 65535");
  EXPECT_EQ(error_of(kLinks), "f: found no section NODES with nodes");
}

}  // namespace
}  // namespace weft
