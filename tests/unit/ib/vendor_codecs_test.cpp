// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Vendor-specific attributes of switches, ports and routers that the manager does not use, compared
// with bytes. Round trips of random bytes of these attributes and of those of other classes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ib/adaptive.h"
#include "ib/gmps/class_keys.h"
#include "ib/gmps/congestion.h"
#include "ib/gmps/dcqcn.h"
#include "ib/gmps/ppcc.h"
#include "ib/vendor/extended_port_state.h"
#include "ib/vendor/planes.h"
#include "ib/vendor/qos_settings.h"
#include "ib/vendor/routers.h"
#include "ib/vendor/switch_settings.h"
#include "unit/ib/any_bytes.h"
#include "unit/ib/bytes.h"

namespace weft {
namespace {

/// Hex digits of `count` bytes with the value 0.
std::string zeros(std::size_t count) { return std::string(2 * count, '0'); }

TEST(VendorCodecs, ExtendedSwitchInfoHasEachFieldAtItsBits) {
  const SmpData all = from_hex("0000003f 0f000155 02aa0333 00000199");
  ExtendedSwitchInfo info{.turbo_path = ExtendedSwitchInfo::kTurboCustom,
                          .turbo_path_capable = true,
                          .upgrade_requested = true,
                          .upgrade_approved = true,
                          .sets_window = true,
                          .sets_reset_trigger = true,
                          .sets_set_trigger = true,
                          .sets_request_delay = true,
                          .request_delay = 0x155,
                          .set_trigger = 0x2AA,
                          .reset_trigger = 0x333,
                          .window = 0x199};
  EXPECT_EQ(to_hex(encode(info)), to_hex(all));
  EXPECT_EQ(decode_extended_switch_info(all), info);
  const auto with = [](auto set) {
    ExtendedSwitchInfo one;
    set(one);
    return encode(one);
  };
  EXPECT_EQ(with([](auto& i) { i.turbo_path = ExtendedSwitchInfo::kTurboDefault; }),
            from_hex("00000001"));
  EXPECT_EQ(with([](auto& i) { i.turbo_path_capable = true; }), from_hex("00000008"));
  EXPECT_EQ(with([](auto& i) { i.upgrade_requested = true; }), from_hex("00000010"));
  EXPECT_EQ(with([](auto& i) { i.upgrade_approved = true; }), from_hex("00000020"));
  EXPECT_EQ(with([](auto& i) { i.sets_window = true; }), from_hex("0000000001"));
  EXPECT_EQ(with([](auto& i) { i.sets_reset_trigger = true; }), from_hex("0000000002"));
  EXPECT_EQ(with([](auto& i) { i.sets_set_trigger = true; }), from_hex("0000000004"));
  EXPECT_EQ(with([](auto& i) { i.sets_request_delay = true; }), from_hex("0000000008"));
}

TEST(VendorCodecs, ChassisInfoHasTheSerialNumberInBytes4To19) {
  const SmpData data = from_hex("00000000 4d54313233 0000000000 0000000000 58");
  const ChassisInfo info = decode_chassis_info(data);
  EXPECT_EQ(info.serial_number[0], std::byte{'M'});
  EXPECT_EQ(info.serial_number[4], std::byte{'3'});
  EXPECT_EQ(info.serial_number[15], std::byte{'X'});
  EXPECT_EQ(encode(info), data);
}

TEST(VendorCodecs, QosConfigSlHasTheShareBeforeTheLimit) {
  QosConfigSl config;
  config.sls[0] = {0xABC, 0x12345};
  config.sls[15] = {0x001, 0xFFFFF};
  const SmpData data = from_hex("abc12345" + zeros(56) + "001fffff");
  EXPECT_EQ(to_hex(encode(config)), to_hex(data));
  EXPECT_EQ(decode_qos_config_sl(data), config);
}

TEST(VendorCodecs, QosConfigVlHasFourBytesForEachDataVl) {
  QosConfigVl config;
  config.vls[0] = {0x7F, QosConfigVl::kInfiniBand, false};
  config.vls[14] = {0x80, 0xFE00, true};
  const SmpData data = from_hex("7f000100" + zeros(52) + "80fe0001");
  EXPECT_EQ(to_hex(encode(config)), to_hex(data));
  EXPECT_EQ(decode_qos_config_vl(data), config);
}

TEST(VendorCodecs, SlToVlOfPortsHasTheMasksAfterTheMap) {
  SlToVlOfPorts table;
  table.map.vls[0] = Vl(1);
  table.map.vls[15] = Vl(7);
  table.inputs.set(0).set(9);
  table.outputs.set(127);
  const SmpData data =
      from_hex("10" + zeros(6) + "07" + zeros(24) + zeros(14) + "0201" + "80" + zeros(15));
  EXPECT_EQ(to_hex(encode(table)), to_hex(data));
  EXPECT_EQ(decode_sl_to_vl_of_ports(data), table);
}

TEST(VendorCodecs, RouterInfoHasEachFieldAtItsOffset) {
  const RouterInfo info{.pfrn_capable = true,
                        .next_hop_cap = 0x01020304,
                        .next_hop_top = 0x05060708,
                        .changes = RouterInfo::kAdjacentChanged | RouterInfo::kRouterLidInfoChanged,
                        .adjacent_top = 0x11,
                        .adjacent_cap = 0x12,
                        .subnets = 0x13,
                        .ar_group_to_lid_cap = 0x1415,
                        .pfrn_enabled = true,
                        .adjacent_lids_top = 0x16,
                        .router_lid_cap = 0x1718,
                        .ar_group_top = 0xABC,
                        .global_lid_first = 0xC0001,
                        .global_lid_last = 0xC0002,
                        .local_lid_first = 0x00003,
                        .local_lid_last = 0x00004};
  const SmpData data = from_hex(
      "00000001 01020304 05060708 88001112 13001415 01161718 abcc0001 000c0002 00000003 00000004");
  EXPECT_EQ(to_hex(encode(info)), to_hex(data));
  EXPECT_EQ(decode_router_info(data), info);
}

TEST(VendorCodecs, BlocksOfRoutersHaveEachEntryAtItsOffset) {
  RouterNextHopBlock hops;
  hops.entries[0] = {0x0102030405060708, 9, 0x8001};
  hops.entries[3] = {0, 0, 0x7FFF};
  const SmpData hop_data =
      from_hex("0102030405060708 0900 8001 00000000" + zeros(32) + zeros(10) + "7fff");
  EXPECT_EQ(to_hex(encode(hops)), to_hex(hop_data));
  EXPECT_EQ(decode_router_next_hop_block(hop_data), hops);

  AdjacentSubnetBlock subnets;
  subnets.entries[0] = {0x8001, 0xFEC0, true, 0xABC, 0x0007};
  subnets.entries[7] = {0, 0, false, 0x001, 0};
  const SmpData subnet_data = from_hex("8001fec08abc0007" + zeros(48) + "0000000000010000");
  EXPECT_EQ(to_hex(encode(subnets)), to_hex(subnet_data));
  EXPECT_EQ(decode_adjacent_subnet_block(subnet_data), subnets);

  AdjacentLidBlock lids;
  lids.entries[0] = {0xFEC1, 0xABCDE, 0x12345};
  const SmpData lid_data = from_hex("fec1 abcde 00 12345");
  EXPECT_EQ(to_hex(encode(lids)), to_hex(lid_data));
  EXPECT_EQ(decode_adjacent_lid_block(lid_data), lids);

  ArGroupToLidBlock groups;
  groups.lids[1] = 0xC000;
  const SmpData group_data = from_hex("0000c000");
  EXPECT_EQ(to_hex(encode(groups)), to_hex(group_data));
  EXPECT_EQ(decode_ar_group_to_lid_block(group_data), groups);
}

TEST(VendorCodecs, RouterLidBlockHasABitForEachLid) {
  RouterLidBlock block;
  block.lids.set(0).set(511);
  const SmpData data = from_hex("80" + zeros(62) + "01");
  EXPECT_EQ(to_hex(encode(block)), to_hex(data));
  EXPECT_EQ(decode_router_lid_block(data), block);
  block.lids.reset().set(8);
  EXPECT_EQ(encode(block), from_hex(zeros(62) + "01"));
}

TEST(VendorCodecs, PrioritiesHaveLoadInBitZeroAndFaultsInBitOne) {
  RnPriorityBlock block;
  block.load.set(0);
  block.faults.set(1);
  block.load.set(15);
  block.faults.set(15);
  const SmpData data = from_hex("00000001 00000002" + zeros(52) + "00000003");
  EXPECT_EQ(to_hex(encode(block)), to_hex(data));
  EXPECT_EQ(decode_rn_priority_block(data), block);
}

TEST(VendorCodecs, ExtendedPortStateHasEachFieldAtItsBits) {
  const ExtendedPortState state{.ame_enabled = true,
                                .router_lid_enabled = true,
                                .utilization_enabled = true,
                                .utilization = 0x201,
                                .utilization_lowest = 0x41,
                                .administrative_state = ExtendedPortState::kDown,
                                .capability_mask = ExtendedPortState::kTwoMkeys,
                                .qos_config_vl_enabled = true,
                                .is_trunk = false,
                                .is_special = true,
                                .special_kind = ExtendedPortState::kRouter,
                                .adaptive_timeout_sls = 0x8001,
                                .out_of_order_sls = 0x4002};
  const SmpData data = from_hex("a0000000 06010000 00004100 00000000 00040200" + zeros(24) +
                                "20000082 00000000 80014002");
  SmpData written{};
  write_extended_port_state(state, written);
  EXPECT_EQ(to_hex(written), to_hex(data));
  EXPECT_EQ(decode_extended_port_state(data), state);
  written = {};
  write_extended_port_state({.is_trunk = true}, written);
  EXPECT_EQ(written, from_hex(zeros(44) + "10"));
}

TEST(VendorCodecs, WritingAnExtendedPortStateKeepsOtherBits) {
  SmpData data;
  data.fill(std::byte{0xFF});
  write_extended_port_state({}, data);
  EXPECT_EQ(data[0], std::byte{0x5F}) << "SHARP and the recovered port";
  EXPECT_EQ(data[3], std::byte{0xFF}) << "fields that a Set changes";
  EXPECT_EQ(data[44], std::byte{0xCF}) << "FNM port";
  EXPECT_EQ(data[63], std::byte{0xFF});
}

RC_GTEST_PROP(VendorCodecs, RandomAttributesAreReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  const auto check = [&](auto decode) {
    const auto value = decode(data);
    RC_ASSERT(decode(encode(value)) == value);
  };
  check(decode_extended_switch_info);
  check(decode_chassis_info);
  check(decode_qos_config_sl);
  check(decode_qos_config_vl);
  check(decode_sl_to_vl_of_ports);
  check(decode_router_info);
  check(decode_router_next_hop_block);
  check(decode_adjacent_subnet_block);
  check(decode_adjacent_lid_block);
  check(decode_router_lid_block);
  check(decode_ar_group_to_lid_block);
  check(decode_rn_priority_block);
  SmpData written = data;
  write_extended_port_state(decode_extended_port_state(data), written);
  RC_ASSERT(written == data);
  set_fnm_port(written, decode_fnm_port(data));
  RC_ASSERT(written == data);
}

RC_GTEST_PROP(VendorCodecs, RandomAttributesOfGmpsAreReadBackUnchanged, ()) {
  const auto check = [](const auto& data, auto decode) {
    const auto value = decode(data);
    RC_ASSERT(decode(encode(value)) == value);
  };
  check(any_bytes<ClassKeyInfo::kSize>(), decode_class_key_info);
  check(any_bytes<NeighborsBlock::kSize>(), decode_neighbors_block);
  const auto data = any_bytes<kCongestionDataSize>();
  check(data, decode_enhanced_congestion_info);
  check(data, decode_dcqcn_switch_general);
  check(data, decode_dcqcn_port_profiles);
  check(data, decode_dcqcn_sl_map);
  check(data, decode_dcqcn_ca_general);
  check(data, decode_dcqcn_reaction_point);
  check(data, decode_dcqcn_notification_point);
  check(data, decode_ppcc_config);
  check(data, decode_ppcc_parameters);
}

}  // namespace
}  // namespace weft
