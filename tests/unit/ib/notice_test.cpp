// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notices and the details of each trap, compared with bytes from the tables of the specification.
#include "ib/notice.h"

#include <gtest/gtest.h>

#include "bytes.h"

namespace weft {
namespace {

NoticeDetails details(std::string_view hex) { return from_hex<kNoticeDetailsSize>(hex); }

TEST(NoticeBytes, GenericTrap128HasTheSpecifiedBytes) {
  Notice notice;
  notice.type = NoticeType::kUrgent;
  notice.producer = static_cast<std::uint32_t>(Producer::kSwitch);
  notice.trap = 128;
  notice.issuer_lid = Lid(0x0102);
  notice.toggle = true;
  notice.count = 0x7ffe;
  notice.details = encode(TrapLinkState{Lid(0x0304)});
  const SmpData expected = from_hex("81 00 00 02  00 80 01 02  ff fe 03 04");
  EXPECT_EQ(encode(notice), expected) << to_hex(encode(notice));
  const Notice decoded = *decode_notice(expected);
  EXPECT_EQ(decoded, notice);
  EXPECT_TRUE(decoded.is(TrapNumber::kLinkStateChange));
  EXPECT_FALSE(decoded.is(TrapNumber::kCapabilityChange));
  EXPECT_EQ(decode_trap_link_state(decoded.details), TrapLinkState{Lid(0x0304)});
}

TEST(NoticeBytes, VendorNoticeIsNoGenericTrap) {
  const Notice decoded = *decode_notice(from_hex("01 00 02 c9  00 80 00 00"));
  EXPECT_FALSE(decoded.generic);
  EXPECT_EQ(decoded.producer, 0x2c9u);
  EXPECT_FALSE(decoded.is(TrapNumber::kLinkStateChange));
}

TEST(NoticeBytes, GidDetailsHaveTheSpecifiedBytes) {
  TrapGid trap;
  for (std::size_t i = 0; i < 16; ++i) trap.gid[i] = static_cast<std::byte>(i + 1);
  const auto expected =
      details("00 00 00 00 00 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10");
  EXPECT_EQ(encode(trap), expected);
  EXPECT_EQ(decode_trap_gid(expected), trap);
}

TEST(NoticeBytes, PortErrorDetailsHaveTheSpecifiedBytes) {
  const TrapPortError trap{Lid(0x0102), PortNum(3)};
  EXPECT_EQ(encode(trap), details("00 00 01 02 03"));
  EXPECT_EQ(decode_trap_port_error(encode(trap)), trap);
}

TEST(NoticeBytes, CapabilityDetailsHaveTheSpecifiedBytes) {
  const TrapCapability trap{Lid(0x0102), true, 0x02510868, TrapCapability::kNodeDescription, 0x21};
  EXPECT_EQ(encode(trap), details("00 00 01 02 00 01 02 51 08 68 00 01 00 21"));
  EXPECT_EQ(decode_trap_capability(encode(trap)), trap);
}

TEST(NoticeBytes, SystemGuidDetailsHaveTheSpecifiedBytes) {
  const TrapSystemGuid trap{Lid(0x0102), Guid(0x0304050607080910)};
  EXPECT_EQ(encode(trap), details("00 00 01 02 00 00 03 04 05 06 07 08 09 10"));
  EXPECT_EQ(decode_trap_system_guid(encode(trap)), trap);
}

TEST(NoticeBytes, BadMkeyDetailsHaveTheSpecifiedBytes) {
  TrapBadMkey trap{Lid(0x0102), Lid(0xffff), Method::kSet, AttributeId::kPortInfo,
                   0x00000007,  Mkey(0x99),  true,         false,
                   2,           {}};
  trap.return_path[0] = 0x11;
  trap.return_path[29] = 0x22;
  const auto expected =
      details("00 00 01 02 ff ff 02 00 00 15 00 00 00 07 00 00 00 00 00 00 00 99 00 82 11" +
              std::string(56, '0') + "22");
  EXPECT_EQ(encode(trap), expected);
  EXPECT_EQ(decode_trap_bad_mkey(expected), trap);
}

TEST(NoticeBytes, BadKeyDetailsHaveTheSpecifiedBytes) {
  TrapBadKey trap{Lid(1), Lid(2), 0x8001, Sl(3), 0x000104, 0x000205, {}, {}};
  trap.gid1[0] = std::byte{0xfe};
  trap.gid2[15] = std::byte{0x09};
  const auto expected = details("00 00 00 01 00 02 00 00 80 01 30 00 01 04 00 00 02 05 fe" +
                                std::string(60, '0') + "09");
  EXPECT_EQ(encode(trap), expected);
  EXPECT_EQ(decode_trap_bad_key(expected), trap);
}

TEST(NoticeBytes, BadPkeySwitchPortDetailsHaveTheSpecifiedBytes) {
  TrapBadPkeySwitchPort trap{7, Lid(1), Lid(2), Pkey(0x8001), Sl(3),     4,
                             5, {},     {},     Lid(6),       PortNum(7)};
  trap.gid1[0] = std::byte{0xfe};
  trap.gid2[15] = std::byte{0x09};
  const auto expected = details("00 07 00 01 00 02 80 01 30 00 00 04 00 00 00 05 fe" +
                                std::string(60, '0') + "09 00 06 07");
  EXPECT_EQ(encode(trap), expected);
  EXPECT_EQ(decode_trap_bad_pkey_switch_port(expected), trap);
}

}  // namespace
}  // namespace weft
