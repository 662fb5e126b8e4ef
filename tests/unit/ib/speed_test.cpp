// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Link speeds and widths and numbers of data VLs, as PortInfo and ExtendedPortInfo encode these
// values.
#include <gtest/gtest.h>

#include <array>

#include "ib/extended_port_info.h"

namespace weft {
namespace {

constexpr std::array kOnTheWire{LinkSpeed::kSdr, LinkSpeed::kDdr, LinkSpeed::kQdr, LinkSpeed::kFdr,
                                LinkSpeed::kEdr, LinkSpeed::kHdr, LinkSpeed::kNdr, LinkSpeed::kXdr};

TEST(SpeedBits, DecodeToTheEncodedSpeed) {
  for (const LinkSpeed speed : kOnTheWire) {
    EXPECT_EQ(fastest_speed(active_speed_bits(speed)), speed) << name(speed);
    EXPECT_EQ(fastest_speed(speeds_up_to(speed)), speed) << name(speed);
  }
}

TEST(SpeedBits, HoldTheSpecifiedValues) {
  EXPECT_EQ(active_speed_bits(LinkSpeed::kDdr), (SpeedBits{2, 0, 0}));
  EXPECT_EQ(active_speed_bits(LinkSpeed::kFdr10), (SpeedBits{4, 0, 0}));
  EXPECT_EQ(active_speed_bits(LinkSpeed::kEdr), (SpeedBits{4, 2, 0}));
  EXPECT_EQ(active_speed_bits(LinkSpeed::kXdr), (SpeedBits{4, 0, 1}));
  EXPECT_EQ(speeds_up_to(LinkSpeed::kQdr), (SpeedBits{7, 0, 0}));
  EXPECT_EQ(speeds_up_to(LinkSpeed::kHdr), (SpeedBits{7, 7, 0}));
  EXPECT_EQ(speeds_up_to(LinkSpeed::kXdr), (SpeedBits{7, 15, 1}));
}

TEST(SpeedBits, ExtendedPortInfoDistinguishesFdr10FromQdr) {
  PortInfo info;
  info.link_speed_active = 4;
  ExtendedPortInfo extended{0, 1, 1, 0};
  EXPECT_EQ(active_speed(info, extended), LinkSpeed::kQdr);
  extended.link_speed_active = 1;
  EXPECT_EQ(active_speed(info, extended), LinkSpeed::kFdr10);
  info.link_speed_ext_active = 1;
  EXPECT_EQ(active_speed(info, extended), LinkSpeed::kFdr);
}

TEST(SpeedBits, ExtendedPortInfoIsSupportedByListedDevicesOnly) {
  for (const int id : {0x1003, 0x1007, 0x1011, 0x101B, 0xC738, 0xCB20, 0xCF08, 0xD2F0})
    EXPECT_TRUE(may_support_extended_ports(static_cast<std::uint16_t>(id))) << id;
  for (const int id : {0, 0x1002, 0x101C, 0x673C, 0xBD36, 0xD2F2})
    EXPECT_FALSE(may_support_extended_ports(static_cast<std::uint16_t>(id))) << id;
}

TEST(SpeedBits, UndefinedBitsAreNoSpeed) {
  EXPECT_EQ(fastest_speed({0, 0, 0}), std::nullopt);
  EXPECT_EQ(fastest_speed({8, 0, 2}), std::nullopt);
}

TEST(SpeedBits, WidthIsExactlyOneBit) {
  PortInfo info;
  EXPECT_EQ(active_width(info), std::nullopt);
  info.link_width_active = 3;
  EXPECT_EQ(active_width(info), std::nullopt);
  info.link_width_active = 16;
  EXPECT_EQ(active_width(info), LinkWidth::k2x);
  EXPECT_EQ(widths_up_to(LinkWidth::k4x), 1 | 2 | 16);
  EXPECT_EQ(widths_up_to(LinkWidth::k12x), 31);
}

TEST(SpeedBits, VlCodesEncodeNumbersOfDataVls) {
  EXPECT_EQ(vl_code(0), 0);
  EXPECT_EQ(vl_code(1), 1);
  EXPECT_EQ(vl_code(3), 2);
  EXPECT_EQ(vl_code(8), 4);
  EXPECT_EQ(vl_code(15), 5);
  for (const unsigned vls : {1u, 2u, 4u, 8u, 15u}) EXPECT_EQ(data_vls_of_code(vl_code(vls)), vls);
  EXPECT_EQ(data_vls_of_code(6), 0u);
}

}  // namespace
}  // namespace weft
