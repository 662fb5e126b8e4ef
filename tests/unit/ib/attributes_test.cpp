// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Subnet management attributes other than Notice, compared with bytes written according to the
// tables of chapter 14.2.5, and attribute modifiers.
#include <gtest/gtest.h>

#include "bytes.h"
#include "ib/modifiers.h"
#include "ib/node_info.h"
#include "ib/port_info.h"
#include "ib/sm_info.h"
#include "ib/switch_info.h"
#include "ib/tables.h"

namespace weft {
namespace {

TEST(AttributeBytes, NodeInfoHasTheSpecifiedBytes) {
  NodeInfo info;
  info.type = NodeType::kSwitch;
  info.port_count = 36;
  info.system_guid = Guid(0x0002c90000000003);
  info.node_guid = Guid(0x0002c90000000001);
  info.port_guid = Guid(0x0002c90000000002);
  info.partition_cap = 8;
  info.device_id = 0xcb20;
  info.revision = 0xa1;
  info.local_port = PortNum(17);
  info.vendor_id = 0x0002c9;
  const SmpData expected = from_hex(
      "01 01 02 24  00 02 c9 00 00 00 00 03  00 02 c9 00 00 00 00 01  00 02 c9 00 00 00 00 02"
      "00 08 cb 20  00 00 00 a1  11 00 02 c9");
  EXPECT_EQ(encode(info), expected) << to_hex(encode(info));
  EXPECT_EQ(*decode_node_info(expected), info);
}

TEST(AttributeBytes, NodeInfoRejectsAnUndefinedType) {
  SmpData data = from_hex("01 01 04 24");
  const auto info = decode_node_info(data);
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error(),
            (Error{Code::kBadField, "NodeInfo NodeType at bit 16 is 4, expected 1 to 3"}));
}

TEST(AttributeBytes, NodeDescriptionEndsAtAZeroByteOrAfter64Bytes) {
  EXPECT_EQ(encode(NodeDescription{"ab"}), from_hex("61 62"));
  EXPECT_EQ(decode_node_description(from_hex("61 62 00 63"))->text, "ab");
  const std::string longest(64, 'x');
  EXPECT_EQ(decode_node_description(encode(NodeDescription{longest}))->text, longest);
  EXPECT_EQ(decode_node_description(encode(NodeDescription{longest + "y"}))->text, longest);
}

PortInfo every_field() {
  PortInfo p;
  p.mkey = Mkey(0x0102030405060708);
  p.gid_prefix = 0xfe80000000000000;
  p.lid = Lid(0x1234);
  p.master_sm_lid = Lid(0x0001);
  p.capability_mask = 0x0251086a;
  p.diag_code = 0x0a0b;
  p.mkey_lease_period_s = 0x003c;
  p.local_port = PortNum(7);
  p.link_width_enabled = 0x03;
  p.link_width_supported = 0x13;
  p.link_width_active = 0x02;
  p.link_speed_supported = 7;
  p.state = PortState::kActive;
  p.phys_state = PhysState::kLinkUp;
  p.link_down_default = PhysState::kPolling;
  p.mkey_protect = 2;
  p.lmc = 5;
  p.link_speed_active = 4;
  p.link_speed_enabled = 7;
  p.neighbor_mtu = 5;
  p.master_sm_sl = 9;
  p.vl_cap = 4;
  p.init_type = 3;
  p.vl_high_limit = 10;
  p.vl_arb_high_cap = 8;
  p.vl_arb_low_cap = 16;
  p.init_type_reply = 1;
  p.mtu_cap = 5;
  p.vl_stall_count = 7;
  p.hoq_life = 0x12;
  p.operational_vls = 3;
  p.partition_enforcement_inbound = true;
  p.partition_enforcement_outbound = false;
  p.filter_raw_inbound = true;
  p.filter_raw_outbound = false;
  p.mkey_violations = 1;
  p.pkey_violations = 2;
  p.qkey_violations = 3;
  p.guid_cap = 128;
  p.client_reregister = true;
  p.mcast_pkey_trap_suppression = 1;
  p.subnet_timeout = 18;
  p.response_time_value = 16;
  p.local_phy_errors = 8;
  p.overrun_errors = 9;
  p.max_credit_hint = 0x1122;
  p.link_speed_ext2_active = 1;
  p.link_speed_ext2_supported = 2;
  p.link_speed_ext2_enabled = 3;
  p.link_round_trip_latency = 0xffffff;
  p.capability_mask2 = 0x0022;
  p.link_speed_ext_active = 2;
  p.link_speed_ext_supported = 3;
  p.link_speed_ext_enabled = 31;
  return p;
}

TEST(AttributeBytes, PortInfoHasTheSpecifiedBytes) {
  const SmpData expected = from_hex(
      "01 02 03 04 05 06 07 08  fe 80 00 00 00 00 00 00  12 34 00 01  02 51 08 6a  0a 0b 00 3c"
      "07 03 13 02  74 52 85 47  59 43 0a 08  10 15 f2 3a  00 01 00 02  00 03 80 b2"
      "10 89 11 22  33 ff ff ff  00 22 23 1f");
  EXPECT_EQ(encode(every_field()), expected) << to_hex(encode(every_field()));
  EXPECT_EQ(*decode_port_info(expected), every_field());
}

TEST(AttributeBytes, PortInfoAcceptsTheLargestDefinedValues) {
  PortInfo info;
  info.state = PortState::kActive;
  info.phys_state = PhysState::kPhyTest;
  info.link_down_default = PhysState::kPolling;
  info.neighbor_mtu = info.vl_cap = info.mtu_cap = info.operational_vls = 5;
  const auto decoded = decode_port_info(encode(info));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, info);
}

TEST(AttributeBytes, PortInfoReportsTheInvalidField) {
  const auto expect_bad = [](std::size_t at, unsigned value, std::string_view wanted) {
    SmpData data = encode(every_field());
    data[at] = static_cast<std::byte>(value);
    const auto info = decode_port_info(data);
    ASSERT_FALSE(info) << wanted;
    EXPECT_EQ(info.error().code, Code::kBadField);
    EXPECT_EQ(info.error().message, wanted);
  };
  expect_bad(32, 0x75, "PortInfo PortState at bit 260 is 5, expected at most 4");
  expect_bad(33, 0x82, "PortInfo PortPhysicalState at bit 264 is 8, expected at most 7");
  expect_bad(33, 0x53, "PortInfo LinkDownDefaultState at bit 268 is 3, expected at most 2");
  expect_bad(36, 0x69, "PortInfo NeighborMTU at bit 288 is 6, expected at most 5");
  expect_bad(37, 0x63, "PortInfo VLCap at bit 296 is 6, expected at most 5");
  expect_bad(41, 0x16, "PortInfo MTUCap at bit 332 is 6, expected at most 5");
  expect_bad(43, 0x6a, "PortInfo OperationalVLs at bit 344 is 6, expected at most 5");
}

TEST(AttributeBytes, SwitchInfoHasTheSpecifiedBytes) {
  SwitchInfo s;
  s.linear_fdb_cap = 0xc000;
  s.random_fdb_cap = 0x0102;
  s.multicast_fdb_cap = 0x1000;
  s.linear_fdb_top = 0xbfff;
  s.default_port = PortNum(1);
  s.default_multicast_primary_port = PortNum(2);
  s.default_multicast_not_primary_port = PortNum(3);
  s.life_time_value = 18;
  s.port_state_change = true;
  s.optimized_sl2vl = 1;
  s.lids_per_port = 0x0405;
  s.partition_enforcement_cap = 32;
  s.inbound_enforcement_cap = true;
  s.filter_raw_inbound_cap = true;
  s.enhanced_port0 = true;
  s.multicast_fdb_top = Lid(0xc0ff);
  const SmpData expected =
      from_hex("c0 00 01 02  10 00 bf ff  01 02 03 95  04 05 00 20  a8 00 c0 ff");
  EXPECT_EQ(encode(s), expected) << to_hex(encode(s));
  EXPECT_EQ(*decode_switch_info(expected), s);
  s.inbound_enforcement_cap = s.filter_raw_inbound_cap = s.enhanced_port0 = false;
  s.outbound_enforcement_cap = s.filter_raw_outbound_cap = true;
  EXPECT_EQ(encode(s)[16], std::byte{0x50});
}

TEST(AttributeBytes, GuidInfoHasTheSpecifiedBytes) {
  GuidInfo block;
  block.guids[0] = Guid(0x0102030405060708);
  block.guids[7] = Guid(0xff);
  const SmpData expected = from_hex("01 02 03 04 05 06 07 08" + std::string(110, '0') + "ff");
  EXPECT_EQ(encode(block), expected) << to_hex(encode(block));
  EXPECT_EQ(*decode_guid_info(expected), block);
}

TEST(AttributeBytes, PkeyTableHasTheSpecifiedBytes) {
  PkeyTable block;
  block.pkeys[0] = Pkey(0xffff);
  block.pkeys[1] = Pkey(0x8001);
  block.pkeys[31] = Pkey(0x7fff);
  const SmpData expected = from_hex("ff ff 80 01" + std::string(116, '0') + "7fff");
  EXPECT_EQ(encode(block), expected);
  EXPECT_EQ(*decode_pkey_table(expected), block);
}

TEST(AttributeBytes, SlToVlTableHasTheSpecifiedBytes) {
  SlToVlTable table;
  for (std::uint8_t sl = 0; sl < 16; ++sl) table.vls[sl] = Vl(static_cast<std::uint8_t>(15 - sl));
  const SmpData expected = from_hex("fe dc ba 98 76 54 32 10");
  EXPECT_EQ(encode(table), expected);
  EXPECT_EQ(*decode_sl_to_vl_table(expected), table);
}

TEST(AttributeBytes, VlArbTableHasTheSpecifiedBytes) {
  VlArbTable block;
  block.entries[0] = {Vl(1), 0xfe};
  block.entries[31] = {Vl(14), 0x40};
  const SmpData expected = from_hex("01 fe" + std::string(120, '0') + "0e40");
  EXPECT_EQ(encode(block), expected);
  EXPECT_EQ(*decode_vl_arb_table(expected), block);
}

TEST(AttributeBytes, ForwardingTablesHaveTheSpecifiedBytes) {
  LinearForwardingTable lft;
  lft.ports.fill(0xff);
  lft.ports[1] = 7;
  SmpData expected;
  expected.fill(std::byte{0xff});
  expected[1] = std::byte{7};
  EXPECT_EQ(encode(lft), expected);
  EXPECT_EQ(*decode_linear_forwarding_table(expected), lft);

  MulticastForwardingTable mft;
  mft.port_masks[0] = 0x8001;
  mft.port_masks[31] = 0x0200;
  const SmpData masks = from_hex("80 01" + std::string(120, '0') + "0200");
  EXPECT_EQ(encode(mft), masks);
  EXPECT_EQ(*decode_multicast_forwarding_table(masks), mft);
}

TEST(AttributeBytes, SmInfoHasTheSpecifiedBytes) {
  const SmInfo info{Guid(0x0102), SmKey(0x03), 0x04050607, 14, SmState::kMaster};
  const SmpData expected =
      from_hex("00 00 00 00 00 00 01 02  00 00 00 00 00 00 00 03  04 05 06 07  e3");
  EXPECT_EQ(encode(info), expected);
  EXPECT_EQ(*decode_sm_info(expected), info);
  const auto bad = decode_sm_info(from_hex(std::string(40, '0') + "e4"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "SMInfo SMState at bit 164 is 4, expected at most 3");
}

TEST(Modifiers, HoldPortAndBlock) {
  EXPECT_EQ(modifier::port_info(PortNum(36)), 36u);
  EXPECT_EQ(modifier::port_info(PortNum(36), true), 0x80000024u);
  EXPECT_EQ(modifier::read_port_info(0x80000024u), (modifier::PortInfo{PortNum(36), true}));
  EXPECT_EQ(modifier::pkey_table(2, PortNum(5)), 0x00050002u);
  EXPECT_EQ(modifier::read_pkey_table(0x00050002u), (modifier::PkeyTable{2, 5}));
  EXPECT_EQ(modifier::sl_to_vl(PortNum(3), PortNum(4)), 0x0304u);
  EXPECT_EQ(modifier::read_sl_to_vl(0x0304u), (modifier::SlToVl{PortNum(3), PortNum(4), false}));
  EXPECT_TRUE(modifier::read_sl_to_vl(modifier::kSlToVlEveryPair).every_pair);
  EXPECT_EQ(modifier::vl_arb(modifier::VlArbBlock::kHighFirst, PortNum(9)), 0x00030009u);
  EXPECT_EQ(modifier::read_vl_arb(0x00030009u),
            (modifier::VlArb{modifier::VlArbBlock::kHighFirst, 9}));
  EXPECT_EQ(modifier::linear_forwarding_table(767), 767u);
  EXPECT_EQ(modifier::multicast_forwarding_table(511, 15), 0xf00001ffu);
  EXPECT_EQ(modifier::read_multicast_forwarding_table(0xf00001ffu),
            (modifier::MulticastForwardingTable{511, 15}));
  EXPECT_EQ(modifier::guid_info(3), 3u);
}

}  // namespace
}  // namespace weft
