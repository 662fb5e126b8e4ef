// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of private linear forwarding tables (pLFTs), compared with bytes, and round trips of
// random bytes.
#include "ib/vendor/private_lfts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/private_lfts_unconfirmed.h"
#include "unit/ib/any_bytes.h"
#include "unit/ib/bytes.h"

namespace weft {
namespace {

TEST(PrivateLftWire, IsAnnouncedByBits0And12OfGeneralInfo) {
  SmpData data = from_hex("00001001");
  EXPECT_TRUE(decode_device_capabilities(data).has(DeviceCapabilities::kPrivateLft));
  EXPECT_TRUE(decode_device_capabilities(data).has(DeviceCapabilities::kPortSlToPrivateLft));
  data = from_hex("ffffeffe");
  EXPECT_FALSE(decode_device_capabilities(data).has(DeviceCapabilities::kPrivateLft));
  EXPECT_FALSE(decode_device_capabilities(data).has(DeviceCapabilities::kPortSlToPrivateLft));
}

TEST(PrivateLftWire, InfoHasCountsInBytes1To3AndSevenModesFromByte4) {
  PrivateLftInfo info{.table_count = 4, .mode_count = 2, .mode_in_use = 1};
  info.modes[0] = {.bank_size = 48, .banks = 1};
  info.modes[1] = {.bank_size = 24, .banks = 2};
  info.modes[6] = {.bank_size = 255, .banks = 7};
  const SmpData data = encode(info);
  EXPECT_EQ(to_hex(data), to_hex(from_hex("00040201 3001 1802 0000 0000 0000 0000 ff07")));
  EXPECT_EQ(decode_private_lft_info(data), info);
  EXPECT_EQ(kPrivateLftInfo, AttributeId{0xFF10});
}

TEST(PrivateLftWire, ATableCountOfZeroMeans36Tables) {
  EXPECT_EQ(PrivateLftInfo{}.tables(), 36u);
  EXPECT_EQ(PrivateLftInfo{.table_count = 2}.tables(), 2u);
}

TEST(PrivateLftWire, ADefinitionHasFourBytesForEachTable) {
  PrivateLftDefBlock block;
  block.tables[0] = {.force_sub_group_0 = true, .bank = 1, .size = 96, .offset = 0};
  block.tables[15] = {.force_sub_group_0 = false, .bank = 127, .size = 1, .offset = 255};
  const SmpData data = encode(block);
  SmpData wanted = from_hex("81600000");
  wanted[60] = std::byte{127};
  wanted[61] = std::byte{1};
  wanted[63] = std::byte{255};
  EXPECT_EQ(to_hex(data), to_hex(wanted));
  EXPECT_EQ(decode_private_lft_def_block(data), block);
  EXPECT_EQ(kPrivateLftDef, AttributeId{0xFF11});
}

TEST(PrivateLftWire, AMapHasFlagsInByte3AMaskFromByte4AndATopInByte38) {
  PrivateLftMap map{.sets_ports = true, .sets_top = false, .ports = {}, .top = Lid(0xBFFF)};
  map.ports.set(1).set(255);
  SmpData wanted = from_hex("00000001 80");
  wanted[35] = std::byte{0x02};
  wanted[38] = std::byte{0xBF};
  wanted[39] = std::byte{0xFF};
  EXPECT_EQ(to_hex(encode(map)), to_hex(wanted));
  EXPECT_EQ(decode_private_lft_map(wanted), map);
  EXPECT_TRUE(decode_private_lft_map(from_hex("00000002")).sets_top);
  EXPECT_EQ(kPrivateLftMap, AttributeId{0xFF12});
}

TEST(PrivateLftWire, AMapByPortAndSlHasSixteenBytesForEachOfFourPorts) {
  PortSlToPrivateLftBlock block;
  block.tables[0][0] = 1;
  block.tables[1][15] = 2;
  block.tables[3][1] = 35;
  SmpData wanted{};
  wanted[0] = std::byte{1};
  wanted[31] = std::byte{2};
  wanted[49] = std::byte{35};
  EXPECT_EQ(to_hex(encode(block)), to_hex(wanted));
  EXPECT_EQ(decode_port_sl_to_private_lft_block(wanted), block);
  EXPECT_EQ(kPortSlToPrivateLftMap, AttributeId{0xFF14});
}

TEST(PrivateLftWire, ModifiersNameTheTableAndTheBlock) {
  using namespace ar_unconfirmed;
  EXPECT_EQ(forwarding_table_modifier(0xBFF), 0xBFFu) << "pLFT 0 has the modifier of the block";
  const std::uint32_t entries = forwarding_table_modifier(0xBFF, 2);
  EXPECT_EQ(block_of_forwarding_table(entries), 0xBFF);
  EXPECT_EQ(plft_of_forwarding_table(entries), 2);
  const std::uint32_t map = plft_unconfirmed::map_modifier(3, 0);
  EXPECT_EQ(plft_unconfirmed::plft_of_map(map), 3);
  EXPECT_EQ(plft_unconfirmed::port_block_of_map(map), 0);
  EXPECT_EQ(plft_unconfirmed::block_of_sl_map(plft_unconfirmed::sl_map_modifier(63)), 63);
  EXPECT_EQ(plft_unconfirmed::block_of_definition(plft_unconfirmed::definition_modifier(2)), 2);
}

RC_GTEST_PROP(PrivateLftWire, AnyValuesAreReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  const auto info = decode_private_lft_info(data);
  RC_ASSERT(decode_private_lft_info(encode(info)) == info);
  const auto definition = decode_private_lft_def_block(data);
  RC_ASSERT(decode_private_lft_def_block(encode(definition)) == definition);
  const auto map = decode_private_lft_map(data);
  RC_ASSERT(decode_private_lft_map(encode(map)) == map);
  RC_ASSERT(encode(decode_port_sl_to_private_lft_block(data)) == data);
}

}  // namespace
}  // namespace weft
