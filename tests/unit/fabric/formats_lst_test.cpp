// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Subnet lists in the dialects of OpenSM, ibutils and ibdiagnet2, and damaged subnet lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "fabric/formats/read.h"
#include "support/fabric_compare.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

using testing::HasSubstr;

std::string end(const std::string& type, const std::string& ports, const std::string& guid,
                const std::string& name, const std::string& port, const std::string& device = "0") {
  return "{ " + type + " Ports:" + ports + " SystemGUID:" + guid + " NodeGUID:" + guid +
         " PortGUID:" + guid + " VenID:000002C9 DevID:" + device + " Rev:000000A1 {" + name +
         "} LID:0000 PN:" + port + " } ";
}

const std::string kHost = end("CA", "02", "00000000000000a0", "host HCA-1", "01");
const std::string kSwitch = end("SW", "24", "00000000000000b0", "sw", "1f");

Result<ReadResult> read(const std::string& text) { return read_fabric_text(text, "f"); }

TEST(Lst, ReadsHexTypesWidthsAndSpeeds) {
  const auto got = read("# ibdiagnet2\n#\n\n" + end("CA-SM", "2", "a0", "h {odd} LID", "2") +
                        end("SW", "18", "b0", "sw", "0a") + "PHY=12x LOG=ACT SPD=2.5\r\n" +
                        end("SW", "18", "b0", "sw", "18", "B9240000") +
                        end("CA", "1", "c0", "g", "1") + "PHY=8x LOG=INI SPD=100\n");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, "lst");
  const Fabric& fabric = got->fabric;
  ASSERT_EQ(fabric.switch_count(), 1u);
  EXPECT_EQ(fabric.node(NodeId(0)).port_count, 24);
  EXPECT_EQ(fabric.node(NodeId(0)).device_id, 0xB924);  // the previous line has device ID 0
  EXPECT_EQ(fabric.node(NodeId(0)).vendor_id, 0x2C9u);
  EXPECT_EQ(fabric.node(NodeId(1)).description, "h {odd} LID");
  const auto ports = fabric.ports(NodeId(0));
  EXPECT_EQ(ports[10].width, LinkWidth::k12x);
  EXPECT_EQ(ports[10].speed, LinkSpeed::kSdr);
  EXPECT_EQ(ports[24].width, LinkWidth::k8x);
  EXPECT_EQ(ports[24].speed, LinkSpeed::kNdr);
}

TEST(Lst, ReadsSwitchesOf254Ports) {
  const auto got = read(end("SW", "fe", "b0", "sw", "fe") + kHost + "PHY=4x\n");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.node(NodeId(0)).port_count, 254);
}

TEST(Lst, RecognizesSwitchesOfTypeCa) {
  const auto got = read(
      end("CA", "18", "b0", "MT47396", "01") + end("CA", "2", "a0", "h", "1") + "PHY=4x\n" +
      end("CA", "18", "b0", "MT47396", "02") + end("CA", "4", "b1", "my Switch", "1") + "PHY=4x\n" +
      end("CA", "4", "a1", "old HCA", "1") + end("CA", "4", "b1", "my Switch", "2") + "PHY=4x\n");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->fabric.switch_count(), 2u);
  EXPECT_EQ(got->fabric.ca_count(), 2u);
  ASSERT_EQ(got->warnings.size(), 1u);
  EXPECT_THAT(got->warnings[0], HasSubstr("f: 2 nodes are typed CA"));
  EXPECT_THAT(got->warnings[0], HasSubstr("the first is 'MT47396'"));
}

TEST(Lst, AcceptsACableListedOnceOrTwice) {
  const std::string there = kHost + end("SW", "24", "b0", "sw", "3") + "PHY=4x\n";
  const std::string back = end("SW", "24", "b0", "sw", "3") + kHost + "PHY=4x\n";
  for (const std::string& text : {there, there + back, there + there}) {
    const auto got = read(text);
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(got->fabric.link_count(), 1u);
    EXPECT_EQ(joined(got->warnings), "");
  }
}

TEST(Lst, RefusesBadLines) {
  const std::string good = kHost + kSwitch + "PHY=4x LOG=ACT\n";
  ASSERT_TRUE(read(good)) << error_of(good);
  EXPECT_THAT(error_of(good + "nonsense\n"), HasSubstr("f:2:1: found 'nonsense', expected '{'"));
  EXPECT_THAT(error_of(good + kHost + "\n"), HasSubstr("f:2:"));
  EXPECT_THAT(error_of(good + kHost + kSwitch + "PHY=5x\n"),
              HasSubstr("found 'PHY=5x', expected a width"));
  EXPECT_THAT(error_of(good + kHost + kSwitch + "what\n"),
              HasSubstr("found 'what', expected PHY="));
  EXPECT_THAT(error_of(end("XX", "2", "a0", "h", "1") + kSwitch),
              HasSubstr("f:1:3: found node type 'XX', expected CA, SW or Rt"));
  EXPECT_THAT(error_of(end("CA", "2", "zz", "h", "1") + kSwitch),
              HasSubstr("f:1:14: found 'SystemGUID:zz', expected a number in hex"));
  EXPECT_THAT(error_of(end("CA", "2", "0", "h", "1") + kSwitch),
              HasSubstr("a node without a GUID"));
  EXPECT_THAT(error_of(end("CA", "2", "a0", "h", "3") + kSwitch), HasSubstr("found port 3 of 2"));
  EXPECT_THAT(error_of(end("CA", "100000002", "a0", "h", "1") + kSwitch),
              HasSubstr("found 4294967295 ports, expected 1 to 254"));
  for (std::size_t length = 1; length + 1 < good.size(); ++length) {
    const std::string cut = good.substr(0, length);
    const auto got = read(cut);
    EXPECT_TRUE(got || got.error().message.starts_with("f:")) << cut;
  }
}

TEST(Lst, RefusesContradictions) {
  const std::string good = kHost + end("SW", "24", "b0", "sw", "3") + "PHY=4x\n";
  EXPECT_THAT(error_of(good + end("CA", "1", "a0", "h", "1") + end("SW", "24", "b0", "sw", "4")),
              HasSubstr("f:2:1: 'host HCA-1'"));
  EXPECT_THAT(error_of(good + end("SW", "2", "a0", "h", "1") + end("SW", "24", "b0", "sw", "4")),
              HasSubstr("found node type "));
  EXPECT_THAT(error_of(good + kHost + end("SW", "24", "b0", "sw", "4")), HasSubstr("is cabled to"));
  EXPECT_THAT(error_of(kHost + kHost), HasSubstr("cabled to itself"));
}

}  // namespace
}  // namespace weft
