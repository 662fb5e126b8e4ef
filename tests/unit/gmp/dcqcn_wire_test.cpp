// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bytes of the attributes of DCQCN.
#include <gtest/gtest.h>

#include "ib/gmps/dcqcn.h"
#include "unit/gmp/number_at.h"

namespace weft {
namespace {

TEST(DcqcnWire, SwitchGeneralHasEachFieldAtItsOffset) {
  const DcqcnSwitchGeneral general{true, 0x12, 24, 0x03040506, 0x78};
  const CongestionData data = encode(general);
  EXPECT_EQ(number_at(data, 0, 8), 0x0100'1218'0304'0506u);
  EXPECT_EQ(number_at(data, 8, 4), 0x78u);
  EXPECT_EQ(decode_dcqcn_switch_general(data), general);
}

TEST(DcqcnWire, PortProfilesHaveEachFieldAtItsOffset) {
  DcqcnPortProfiles profiles{true, false, 0x1234, {}};
  profiles.profiles[0] = {0x01020304, 0x7F, 0x12345};
  profiles.profiles[2] = {0x0A0B0C0D, 1, 0xFFFFF};
  const CongestionData data = encode(profiles);
  EXPECT_EQ(number_at(data, 0, 8), 0x8000'1234'0102'0304u);
  EXPECT_EQ(number_at(data, 8, 4), 0x7F01'2345u);
  EXPECT_EQ(number_at(data, 12, 8), 0u);
  EXPECT_EQ(number_at(data, 20, 8), 0x0A0B'0C0D'010F'FFFFu);
  EXPECT_EQ(decode_dcqcn_port_profiles(data), profiles);
  EXPECT_EQ(number_at(encode(DcqcnPortProfiles{false, true, 0, {}}), 0, 1), 0x40u);
}

TEST(DcqcnWire, SlMapBeginsWithSl0InTheHighestBits) {
  DcqcnSlMap map;
  map.profiles[0] = 2;
  map.profiles[1] = 1;
  map.profiles[15] = 3;
  const CongestionData data = encode(map);
  EXPECT_EQ(number_at(data, 0, 8), 0x9000'0003'0000'0000u);
  EXPECT_EQ(decode_dcqcn_sl_map(data), map);
}

TEST(DcqcnWire, CaGeneralHasThreeBits) {
  EXPECT_EQ(number_at(encode(DcqcnCaGeneral{true, false, false}), 0, 4), 0x8000'0000u);
  EXPECT_EQ(number_at(encode(DcqcnCaGeneral{false, true, false}), 0, 4), 0x4000'0000u);
  EXPECT_EQ(number_at(encode(DcqcnCaGeneral{false, false, true}), 0, 4), 0x2000'0000u);
  const DcqcnCaGeneral general{true, false, true};
  EXPECT_EQ(decode_dcqcn_ca_general(encode(general)), general);
}

TEST(DcqcnWire, ReactionPointHasEachFieldAtItsOffset) {
  DcqcnReactionPoint point{.clamp_bit_7 = true, .time_reset = 0x1FFFF, .byte_reset = 0x7FFFF};
  point.threshold = 0x1F;
  point.highest_rate = 0x7FFFF;
  point.additive_increase = 0x1234;
  point.hyper_increase = 0x5678;
  point.decrease = 0xF;
  point.least_decrease = 50;
  point.least_rate = 0x01020304;
  point.first_cnp_rate = 0x05060708;
  point.g = 0x3FF;
  point.rtt = 0x1FFFF;
  point.monitor_period = 0x090A0B0C;
  point.first_alpha = 0x3FE;
  const CongestionData data = encode(point);
  EXPECT_EQ(number_at(data, 0, 8), 0x8000'0000'0001'FFFFu);
  EXPECT_EQ(number_at(data, 8, 8), 0x0007'FFFF'0000'001Fu);
  EXPECT_EQ(number_at(data, 16, 8), 0x0007'FFFF'0000'1234u);
  EXPECT_EQ(number_at(data, 24, 8), 0x0000'5678'0000'000Fu);
  EXPECT_EQ(number_at(data, 32, 8), 0x0000'0032'0102'0304u);
  EXPECT_EQ(number_at(data, 40, 8), 0x0506'0708'0000'03FFu);
  EXPECT_EQ(number_at(data, 48, 8), 0x0001'FFFF'090A'0B0Cu);
  EXPECT_EQ(number_at(data, 56, 8), 0x0000'03FE'0000'0000u);
  EXPECT_EQ(decode_dcqcn_reaction_point(data), point);
  EXPECT_EQ(number_at(encode(DcqcnReactionPoint{.clamp_bit_6 = true}), 0, 1), 0x40u);
}

TEST(DcqcnWire, NotificationPointHasEachFieldAtItsOffset) {
  const DcqcnNotificationPoint point{0x1234, true, false, 5, 6};
  const CongestionData data = encode(point);
  EXPECT_EQ(number_at(data, 0, 8), 0x0000'1234'0001'0506u);
  EXPECT_EQ(decode_dcqcn_notification_point(data), point);
  EXPECT_EQ(number_at(encode(DcqcnNotificationPoint{.has_rtt_sl = true}), 5, 1), 2u);
}

TEST(DcqcnFields, OtherBitsKeepTheValuesOfTheDevice) {
  DcqcnFields fields{encode(DcqcnCaGeneral{true, true, false}),
                     encode(DcqcnCaGeneral{true, false, false})};
  CongestionData held = encode(DcqcnCaGeneral{false, true, true});
  held[7] = std::byte{0xAB};
  EXPECT_FALSE(fields.agrees_with(held));
  const CongestionData applied = fields.apply_to(held);
  EXPECT_EQ(number_at(applied, 0, 8), 0xA000'0000'0000'00ABu);
  EXPECT_TRUE(fields.agrees_with(applied));
  fields.add({encode(DcqcnCaGeneral{true, false, true}), CongestionData{}});
  EXPECT_EQ(number_at(fields.apply_to(applied), 0, 1), 0u);
  fields.remove(encode(DcqcnCaGeneral{true, true, false}));
  EXPECT_EQ(fields, (DcqcnFields{encode(DcqcnCaGeneral{false, false, true}), CongestionData{}}));
  fields.remove(encode(DcqcnCaGeneral{true, true, true}));
  EXPECT_TRUE(fields.is_empty());
}

}  // namespace
}  // namespace weft
