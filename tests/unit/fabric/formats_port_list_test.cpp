// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include <string>

#include "fabric/formats/read.h"
#include "support/fabric_compare.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

TEST(PortList, ReadsBothEndsOfALine) {
  const ReadResult got = read_good(
      "CA    78  1 0x946dae0300630bfe 4x HDR - SW    51 81 0x946dae0300630bf6 ( 'a node' - "
      "' leaf-01 ' )\n"
      "SW    51 82 0x946dae0300630bf6 4x ???                                    ' leaf-01 '\n"
      "SW    24 1 0x946dae0300618c82 4x SDR                                    spine 02\n");
  EXPECT_EQ(got.format, "port-list");
  EXPECT_EQ(joined(got.warnings), "");
  const Fabric& fabric = got.fabric;
  ASSERT_EQ(fabric.switch_count(), 2u);
  ASSERT_EQ(fabric.ca_count(), 1u);
  EXPECT_EQ(fabric.link_count(), 1u);
  EXPECT_EQ(fabric.node(SwitchId(0)).description, "spine 02");
  EXPECT_EQ(fabric.node(SwitchId(1)).description, " leaf-01 ");
  EXPECT_EQ(fabric.node(SwitchId(1)).port_count, 82);
  EXPECT_EQ(fabric.ports(SwitchId(1))[0].lid, Lid(51));
  EXPECT_EQ(fabric.ports(SwitchId(1))[81].speed, LinkSpeed::kHdr);
  EXPECT_EQ(fabric.node(NodeId(2)).description, "a node");
  EXPECT_EQ(fabric.node(NodeId(2)).node_guid, Guid(0x946dae0300630bfe));
  EXPECT_EQ(fabric.ports(NodeId(2))[1].lid, Lid(78));
}

TEST(PortList, ReadsNodeGuidsFromProgressLines) {
  const ReadResult got = read_good(
      "DR path slid 0; dlid 0; 0 -> new Channel Adapter {0000000000000010} portnum 1 lid 0-0 \"\"\n"
      "DR path slid 0; dlid 0; 0,1 -> new Switch {0000000000000020} portnum 0 lid 0-0 \"\"\n"
      "DR path slid 0; dlid 0; 0,1,2 -> known Channel Adapter {0000000000000010} portnum 2 lid "
      "0-0\n"
      "CA     1  1 0x0000000000000011 4x QDR - SW     3  1 0x0000000000000020 ( 'h' - 's' )\n"
      "CA     2  2 0x0000000000000012 4x QDR - SW     3  2 0x0000000000000020 ( 'h' - 's' )\n");
  ASSERT_EQ(got.fabric.ca_count(), 1u);
  EXPECT_EQ(got.fabric.node(NodeId(1)).node_guid, Guid(0x10));
  EXPECT_EQ(got.fabric.node(NodeId(1)).port_count, 2);
  EXPECT_EQ(got.fabric.ports(NodeId(1))[2].guid, Guid(0x12));
}

TEST(PortList, GroupsPortsWithTheSameNameAndConsecutiveGuids) {
  const ReadResult got = read_good(
      "SW 3 1 0x20 4x QDR - CA 1 1 0x11 ( 's' - 'h HCA-1' )\n"
      "SW 3 2 0x20 4x QDR - CA 2 2 0x12 ( 's' - 'h HCA-1' )\n"
      "SW 3 3 0x20 4x QDR - CA 4 1 0x13 ( 's' - 'h HCA-1' )\n"
      "SW 3 4 0x20 4x QDR - CA 5 2 0x15 ( 's' - 'other' )\n"
      "SW 3 5 0x20 4x QDR - CA 6 1 0x14 ( 's' - 'another' )\n");
  EXPECT_EQ(got.fabric.ca_count(), 4u);
  EXPECT_EQ(got.fabric.link_count(), 5u);
  EXPECT_EQ(got.fabric.node(NodeId(1)).node_guid, Guid(0x10));
  EXPECT_EQ(got.fabric.node(NodeId(1)).port_count, 2);
}

TEST(PortList, WarnsOfContradictions) {
  const ReadResult got = read_good(
      "SW 3 1 0x20 4x QDR - SW 4 1 0x21 ( 's' - 't' )\n"
      "SW 3 2 0x20 4x QDR - SW 4 1 0x21 ( 's' - 't' )\n"
      "SW 4 1 0x21 4x QDR - SW 3 2 0x20 ( 't' - 's' )\n"
      "SW 9 1 0x21 4x QDR - SW 3 1 0x20 ( 't' - 's' )\n"
      "SW 60000 1 0x22 4x QDR 'u'\n"
      "some other program speaks\n");
  EXPECT_EQ(got.fabric.link_count(), 1u);
  EXPECT_NE(got.fabric.ports(SwitchId(0))[2].peer, kNoPort);
  EXPECT_EQ(joined(got.warnings),
            "f:4: 't' has LID 4 and LID 9: the second is ignored\n"
            "f:4: 't' (0x0000000000000021) port 1 is cabled to 's' (0x0000000000000020) port 2 at "
            "line 3: ignored\n"
            "f:5: found LID 60000, expected 0 to 49151: taken as none\n"
            "f:6: skipped: 'some other program speaks'\n"
            "f:1: the cable is left out: 't' (0x0000000000000021) port 1 is cabled to 's' "
            "(0x0000000000000020) port 2 and to 's' (0x0000000000000020) port 1\n");
}

TEST(PortList, ReportsTheLineAndColumnOfAnError) {
  const std::string head = "SW 3 1 0x20 4x QDR 's'\n";
  EXPECT_EQ(error_of(head + "CA 1 x\n"), "f:2:6: found 'x', expected a port number up to 254");
  EXPECT_EQ(error_of(head + "CA 1 255 0x1\n"),
            "f:2:6: found '255', expected a port number up to 254");
  EXPECT_EQ(error_of(head + "CA 70000 1 0x1\n"), "f:2:4: found '70000', expected a LID");
  EXPECT_EQ(error_of(head + "CA 1 1 0x1g\n"), "f:2:8: found '0x1g', expected a GUID");
  EXPECT_EQ(error_of(head + "SW 3 2 0x20 4x QDR - XX 4\n"),
            "f:2:22: found 'XX', expected CA, SW or RT");
  EXPECT_EQ(error_of(head + "SW 3 2 0x20 4x QDR - SW\n"),
            "f:2:24: found the end of the line, expected a LID");
  EXPECT_EQ(error_of(head + "CA 1 1 0x20 4x QDR 'c'\n"),
            "f: two nodes have GUID 0x0000000000000020: 's' and 'c'");
}

}  // namespace
}  // namespace weft
