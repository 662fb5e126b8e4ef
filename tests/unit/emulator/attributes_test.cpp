// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// NodeInfo, NodeDescription, SwitchInfo, forwarding tables, SL2VL maps, VL arbitration, P_Key
// tables and GUIDInfo of emulated nodes, and the link capabilities in PortInfo.
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

constexpr std::uint16_t kUnsupported = mad_status::kMethodAttributeUnsupported;

class Attributes : public ::testing::Test {
 protected:
  std::uint16_t status(const std::optional<Smp>& answer) {
    return answer ? answer->status : std::uint16_t{0xFFFF};
  }
  const Fabric fabric = two_switches();
  EmulatedFabric emulated{fabric};
  Client sm{emulated, kH0};
  const SmpData ones = [] {
    SmpData data;
    data.fill(std::byte{1});
    return data;
  }();
};

TEST_F(Attributes, NodeInfoAndDescriptionCanBeReadButNotSet) {
  const auto info = decode_node_info(sm.get(AttributeId::kNodeInfo, 0, {1})->data);
  EXPECT_EQ(info->type, NodeType::kSwitch);
  EXPECT_EQ(info->port_count, 8);
  EXPECT_EQ(info->node_guid, Guid(0x100));
  EXPECT_EQ(info->port_guid, Guid(0x100));
  EXPECT_EQ(info->partition_cap, 32);
  const auto text = sm.get(AttributeId::kNodeDescription, 0, {1, 2});
  EXPECT_EQ(decode_node_description(text->data)->text, "S1");
  EXPECT_EQ(status(sm.set(AttributeId::kNodeInfo, 0, {1}, {})), kUnsupported);
  EXPECT_EQ(status(sm.set(AttributeId::kNodeDescription, 0, {1}, {})), kUnsupported);
}

TEST_F(Attributes, MissingTablesAreUnsupported) {
  EXPECT_EQ(status(sm.get(AttributeId::kSwitchInfo, 0, {})), kUnsupported);
  EXPECT_EQ(status(sm.get(AttributeId::kLinearForwardingTable, 0, {})), kUnsupported);
  EXPECT_EQ(status(sm.get(AttributeId::kMulticastForwardingTable, 0, {})), kUnsupported);
  EXPECT_EQ(status(sm.get(AttributeId::kRandomForwardingTable, 0, {1})), kUnsupported);
  EXPECT_EQ(status(sm.get(AttributeId::kVendorDiag, 0, {1})), kUnsupported);
  EXPECT_EQ(status(sm.get(static_cast<AttributeId>(0xFF31), 0, {1})), kUnsupported);
  EXPECT_EQ(emulated.counters().bad_status, 6u);
}

TEST_F(Attributes, SetOfSwitchInfoDoesNotChangeTableSizes) {
  SwitchInfo wanted = sm.switch_info({1});
  EXPECT_EQ(wanted.linear_fdb_cap, 0xC000);
  const SwitchInfo before = wanted;
  wanted.linear_fdb_cap = wanted.random_fdb_cap = wanted.multicast_fdb_cap = 1;
  wanted.enhanced_port0 = true;
  wanted.linear_fdb_top = 0xBFFF;
  wanted.default_port = PortNum(3);
  wanted.life_time_value = 18;
  wanted.multicast_fdb_top = Lid(0xC010);
  EXPECT_EQ(status(sm.set(AttributeId::kSwitchInfo, 0, {1}, encode(wanted))), 0);
  const SwitchInfo after = sm.switch_info({1});
  EXPECT_EQ(after.linear_fdb_cap, before.linear_fdb_cap);
  EXPECT_EQ(after.multicast_fdb_cap, before.multicast_fdb_cap);
  EXPECT_FALSE(after.enhanced_port0);
  EXPECT_EQ(after.linear_fdb_top, 0xBFFF);
  EXPECT_EQ(after.default_port, PortNum(3));
  EXPECT_EQ(after.life_time_value, 18);
  EXPECT_EQ(after.multicast_fdb_top, Lid(0xC010));
  wanted.linear_fdb_top = 0xC000;
  EXPECT_EQ(status(sm.set(AttributeId::kSwitchInfo, 0, {1}, encode(wanted))),
            mad_status::kInvalidField);
}

TEST_F(Attributes, PortStateChangeIsClearedByASet) {
  emulated.cut_cable(fabric.port_id(NodeId(0), PortNum(3)));
  SwitchInfo info = sm.switch_info({1});
  EXPECT_TRUE(info.port_state_change);
  info.port_state_change = false;
  EXPECT_EQ(status(sm.set(AttributeId::kSwitchInfo, 0, {1}, encode(info))), 0);
  EXPECT_TRUE(sm.switch_info({1}).port_state_change);
  info.port_state_change = true;
  EXPECT_EQ(status(sm.set(AttributeId::kSwitchInfo, 0, {1}, encode(info))), 0);
  EXPECT_FALSE(sm.switch_info({1}).port_state_change);
}

TEST_F(Attributes, LinearForwardingTableIsReadAndWrittenInBlocks) {
  SmpData empty;
  empty.fill(std::byte{255});
  EXPECT_EQ(sm.get(AttributeId::kLinearForwardingTable, 700, {1})->data, empty);
  EXPECT_EQ(status(sm.set(AttributeId::kLinearForwardingTable, 3, {1}, ones)), 0);
  EXPECT_EQ(sm.get(AttributeId::kLinearForwardingTable, 3, {1})->data, ones);
  EXPECT_EQ(sm.get(AttributeId::kLinearForwardingTable, 2, {1})->data, empty);
  EXPECT_EQ(status(sm.set(AttributeId::kLinearForwardingTable, 767, {1}, ones)), 0);
  EXPECT_EQ(status(sm.set(AttributeId::kLinearForwardingTable, 768, {1}, ones)),
            mad_status::kInvalidField);
  EXPECT_EQ(status(sm.get(AttributeId::kLinearForwardingTable, 0xFFFFFFFF, {1})),
            mad_status::kInvalidField);
  EXPECT_EQ(emulated.lft(kS0).size(), 49152u);
  EXPECT_EQ(emulated.lft(kS0)[3 * 64], 1);
  EXPECT_EQ(emulated.lft(kS0)[3 * 64 - 1], 255);
  EXPECT_TRUE(emulated.lft(kS1).empty());
  EXPECT_EQ(emulated.counters().lft_blocks_written(), 3u);
  emulated.reset_counters();
  EXPECT_EQ(emulated.counters().lft_blocks_written(), 0u);
}

TEST_F(Attributes, MulticastForwardingTableIsReadAndWrittenByBlockAndPosition) {
  MulticastForwardingTable table;
  table.port_masks[1] = 0x0106;
  const auto modifier = modifier::multicast_forwarding_table(2, 0);
  EXPECT_EQ(status(sm.set(AttributeId::kMulticastForwardingTable, modifier, {1}, encode(table))),
            0);
  EXPECT_EQ(sm.get(AttributeId::kMulticastForwardingTable, modifier, {1})->data, encode(table));
  const Lid lid(0xC000 + 2 * 32 + 1);
  EXPECT_EQ(emulated.multicast_ports(kS0, lid), (std::vector{PortNum(1), PortNum(2), PortNum(8)}));
  EXPECT_TRUE(emulated.multicast_ports(kS1, lid).empty());
  const auto refuses = [&](std::uint32_t bad) {
    EXPECT_EQ(status(sm.set(AttributeId::kMulticastForwardingTable, bad, {1}, encode(table))),
              mad_status::kInvalidField)
        << bad;
  };
  refuses(modifier::multicast_forwarding_table(128, 0));  // 4096 entries are 128 blocks
  refuses(modifier::multicast_forwarding_table(0, 1));    // ports 0 to 8 need one position only
  refuses(0x00000200);
}

TEST_F(Attributes, SlToVlMapIsSeparateForEachPairOfPorts) {
  const auto modifier = modifier::sl_to_vl(PortNum(1), PortNum(2));
  EXPECT_EQ(emulated.sl_to_vl(NodeId(0), PortNum(1), PortNum(2)).vls[9], Vl(1))
      << "the VL of SL 9 is 9 mod 8";
  EXPECT_EQ(status(sm.set(AttributeId::kSlToVlTable, modifier, {1}, ones)), 0);
  EXPECT_EQ(emulated.sl_to_vl(NodeId(0), PortNum(1), PortNum(2)).vls[9], Vl(1));
  EXPECT_EQ(emulated.sl_to_vl(NodeId(0), PortNum(1), PortNum(2)).vls[8], Vl(0));
  EXPECT_EQ(emulated.sl_to_vl(NodeId(0), PortNum(2), PortNum(1)).vls[10], Vl(2));
  SmpData first_eight{};
  std::fill_n(first_eight.begin(), 8, std::byte{1});
  EXPECT_EQ(sm.get(AttributeId::kSlToVlTable, modifier, {1})->data, first_eight);
  EXPECT_EQ(status(sm.get(AttributeId::kSlToVlTable, 0x0901, {1})), mad_status::kInvalidField);
  EXPECT_EQ(status(sm.get(AttributeId::kSlToVlTable, 0x0109, {1})), mad_status::kInvalidField);
  EXPECT_EQ(status(sm.set(AttributeId::kSlToVlTable, modifier::kSlToVlEveryPair, {1}, ones)),
            mad_status::kInvalidField)
      << "the switch does not support a Set of the maps of all pairs";
  EXPECT_EQ(status(sm.set(AttributeId::kSlToVlTable, 0, {}, ones)), 0);
  EXPECT_EQ(emulated.sl_to_vl(NodeId(2), PortNum(0), PortNum(1)).vls[1], Vl(1));
}

TEST_F(Attributes, OptimizedSlToVlSetWritesTheMapsOfAllPairs) {
  EmulatorOptions options;
  options.optimized_sl2vl = true;
  EmulatedFabric other(fabric, options);
  Client client(other, kH0);
  EXPECT_EQ(client.switch_info({1}).optimized_sl2vl, 1);
  SlToVlTable table;
  table.vls.fill(Vl(3));
  EXPECT_EQ(
      status(client.set(AttributeId::kSlToVlTable, modifier::kSlToVlEveryPair, {1}, encode(table))),
      0);
  EXPECT_EQ(other.sl_to_vl(NodeId(0), PortNum(7), PortNum(8)), table);
  EXPECT_EQ(other.sl_to_vl(NodeId(0), PortNum(0), PortNum(1)), table);
}

TEST_F(Attributes, OptimizedSlToVlMayBeRefusedOrIgnoredDespiteTheCapability) {
  EmulatorOptions options;
  options.optimized_sl2vl = true;
  SlToVlTable table;
  table.vls.fill(Vl(3));
  for (const auto kind : {OptimizedSl2VlQuirk::kRefuses, OptimizedSl2VlQuirk::kIgnores}) {
    EmulatedFabric other(fabric, options);
    Client client(other, kH0);
    DeviceBehavior quirks;
    quirks.sl2vl_at_once = kind;
    other.set_behavior(NodeId(0), quirks);
    EXPECT_EQ(status(client.set(AttributeId::kSlToVlTable, modifier::kSlToVlEveryPair, {1},
                                encode(table))),
              kind == OptimizedSl2VlQuirk::kRefuses ? mad_status::kInvalidField : 0);
    EXPECT_NE(other.sl_to_vl(NodeId(0), PortNum(1), PortNum(2)), table);
    EXPECT_EQ(status(client.set(AttributeId::kSlToVlTable,
                                modifier::sl_to_vl(PortNum(1), PortNum(2)), {1}, encode(table))),
              0);
    EXPECT_EQ(other.sl_to_vl(NodeId(0), PortNum(1), PortNum(2)), table);
  }
}

TEST_F(Attributes, VlArbitrationStoresOnlyAsManyEntriesAsTheCapability) {
  using modifier::VlArbBlock;
  VlArbTable table;
  for (std::uint8_t i = 0; i < 32; ++i) table.entries[i] = {Vl(i % 8), 9};
  const auto modifier = modifier::vl_arb(VlArbBlock::kHighFirst, PortNum(2));
  EXPECT_EQ(status(sm.set(AttributeId::kVlArbitrationTable, modifier, {1}, encode(table))), 0);
  const auto held =
      decode_vl_arb_table(sm.get(AttributeId::kVlArbitrationTable, modifier, {1})->data);
  EXPECT_EQ(held->entries[7], (VlWeight{Vl(7), 9}));
  EXPECT_EQ(held->entries[8], VlWeight{}) << "the table has 8 entries";
  const auto get_status = [&](std::uint32_t bits) {
    return status(sm.get(AttributeId::kVlArbitrationTable, bits, {1}));
  };
  EXPECT_EQ(get_status(modifier::vl_arb(VlArbBlock::kLowSecond, PortNum(2))),
            mad_status::kInvalidField);
  EXPECT_EQ(get_status(modifier::vl_arb(VlArbBlock{0}, PortNum(2))), mad_status::kInvalidField);
  EXPECT_EQ(get_status(modifier::vl_arb(VlArbBlock{5}, PortNum(2))), mad_status::kInvalidField);
  EXPECT_EQ(get_status(modifier::vl_arb(VlArbBlock::kLowFirst, PortNum(9))),
            mad_status::kInvalidField);
  table.entries[0].vl = Vl(15);
  EXPECT_EQ(status(sm.set(AttributeId::kVlArbitrationTable, modifier, {1}, encode(table))),
            mad_status::kInvalidField);
}

TEST_F(Attributes, PkeyTablesInitiallyHaveTheDefaultPartition) {
  EXPECT_EQ(emulated.pkeys(fabric.endport(kH1).port, 0).pkeys[0], Pkey(0xFFFF));
  EXPECT_EQ(emulated.pkeys(fabric.endport(kH1).port, 0).pkeys[1], Pkey(0));
  PkeyTable table;
  table.pkeys[0] = Pkey(0x7FFF);
  table.pkeys[1] = Pkey(0x8001);
  EXPECT_EQ(status(sm.set(AttributeId::kPkeyTable, modifier::pkey_table(3), {}, encode(table))), 0);
  EXPECT_EQ(emulated.pkeys(fabric.endport(kH0).port, 3), table);
  EXPECT_EQ(emulated.pkeys(fabric.endport(kH0).port, 0).pkeys[0], Pkey(0xFFFF));
  EXPECT_EQ(status(sm.get(AttributeId::kPkeyTable, modifier::pkey_table(4), {})),
            mad_status::kInvalidField);
  const auto on_port = modifier::pkey_table(0, PortNum(2));
  EXPECT_EQ(status(sm.set(AttributeId::kPkeyTable, on_port, {1}, encode(table))), 0);
  EXPECT_EQ(sm.get(AttributeId::kPkeyTable, on_port, {1})->data, encode(table));
  EXPECT_EQ(emulated.pkeys(fabric.port_id(NodeId(0), PortNum(3)), 0).pkeys[0], Pkey(0xFFFF));
  EXPECT_EQ(status(sm.get(AttributeId::kPkeyTable, modifier::pkey_table(0, PortNum(9)), {1})),
            mad_status::kInvalidField);
  EXPECT_EQ(status(sm.get(AttributeId::kPkeyTable, 0x01000000, {1})), mad_status::kInvalidField);
}

TEST_F(Attributes, SetOfGuidInfoDoesNotChangeTheFirstGuid) {
  GuidInfo wanted;
  wanted.guids.fill(Guid(5));
  EXPECT_EQ(status(sm.set(AttributeId::kGuidInfo, 0, {}, encode(wanted))), 0);
  const auto held = decode_guid_info(sm.get(AttributeId::kGuidInfo, 0, {})->data);
  EXPECT_EQ(held->guids[0], fabric.port(fabric.endport(kH0).port).guid);
  EXPECT_EQ(held->guids[7], Guid(5));
  EXPECT_EQ(status(sm.get(AttributeId::kGuidInfo, 1, {})), mad_status::kInvalidField);
}

TEST_F(Attributes, LinkCapabilitiesIncludeTheLinksOfTheFabric) {
  FabricBuilder builder;
  Node sw;
  sw.type = NodeType::kSwitch;
  sw.node_guid = Guid(1);
  sw.port_count = 4;
  Node ca;
  ca.node_guid = Guid(2);
  ca.port_count = 1;
  const auto s = builder.add_node(sw);
  const auto c = builder.add_node(ca);
  FabricBuilder::PortSpec spec;
  spec.width = LinkWidth::k2x;
  spec.speed = LinkSpeed::kXdr;
  spec.mtu_cap = Mtu::k4096;
  spec.data_vls = std::uint8_t{4};
  ASSERT_TRUE(builder.describe_port(s, PortNum(1), spec));
  ASSERT_TRUE(builder.describe_port(c, PortNum(1), spec));
  ASSERT_TRUE(builder.connect(s, PortNum(1), c, PortNum(1)));
  const auto fast = builder.build();
  ASSERT_TRUE(fast);
  EmulatedFabric other(*fast);
  const PortInfo& info = other.port_info(fast->port_id(NodeId(1), PortNum(1)));
  EXPECT_EQ(active_speed(info), LinkSpeed::kXdr);
  EXPECT_EQ(active_width(info), LinkWidth::k2x);
  EXPECT_EQ(info.link_speed_ext_supported, 15);
  EXPECT_EQ(info.vl_cap, 3);
  EXPECT_TRUE(info.capability_mask & cap_mask::kExtendedSpeeds);
  EXPECT_TRUE(info.capability_mask & cap_mask::kCapabilityMask2);
  EXPECT_TRUE(info.capability_mask2 & cap_mask2::kLinkSpeedXdr);
  EXPECT_EQ(other.port_info(fast->port_id(NodeId(0), PortNum(1))).mtu_cap, 5);
  EXPECT_EQ(other.port_info(fast->port_id(NodeId(0), PortNum(2))).link_speed_ext2_supported, 1);
}

}  // namespace
}  // namespace weft
