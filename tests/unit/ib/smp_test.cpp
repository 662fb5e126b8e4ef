// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The 256 bytes of an SMP, compared with the layout in chapter 14.2.
#include "ib/smp.h"

#include <gtest/gtest.h>

#include "bytes.h"

namespace weft {
namespace {

Smp directed() {
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpDirected;
  smp.method = Method::kSet;
  smp.status = 0x001C;
  smp.returning = true;
  smp.hop_pointer = 1;
  smp.hop_count = 2;
  smp.transaction_id = 0x0102030405060708;
  smp.attribute = AttributeId::kPortInfo;
  smp.modifier = 0x80000007;
  smp.mkey = Mkey(0x1112131415161718);
  smp.dr_slid = Lid(0x2122);
  smp.dr_dlid = Lid(0xFFFF);
  smp.data.fill(std::byte{0xAB});
  smp.initial_path[1] = 3;
  smp.initial_path[2] = 4;
  smp.return_path[1] = 5;
  smp.return_path[63] = 6;
  return smp;
}

TEST(SmpBytes, DirectedRouteSmpHasTheSpecifiedBytes) {
  const auto bytes = encode(directed());
  const auto expected_head = from_hex<64>(
      "01 81 01 02  80 1c 01 02  01 02 03 04 05 06 07 08  00 15 00 00  80 00 00 07"
      "11 12 13 14 15 16 17 18  21 22 ff ff");
  EXPECT_TRUE(std::equal(expected_head.begin(), expected_head.end(), bytes.begin()))
      << to_hex(bytes);
  for (std::size_t i = 64; i < 128; ++i) EXPECT_EQ(bytes[i], std::byte{0xAB});
  EXPECT_EQ(bytes[128 + 1], std::byte{3});
  EXPECT_EQ(bytes[128 + 2], std::byte{4});
  EXPECT_EQ(bytes[192 + 1], std::byte{5});
  EXPECT_EQ(bytes[192 + 63], std::byte{6});
  const auto decoded = decode_smp(bytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, directed());
}

TEST(SmpBytes, LidRoutedSmpHasNoPath) {
  Smp smp;
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  smp.method = Method::kTrap;
  smp.status = 0x8004;
  smp.transaction_id = 1;
  smp.attribute = AttributeId::kNotice;
  smp.data[63] = std::byte{0x77};
  smp.dlid = Lid(9);  // the DLID is not part of the MAD
  const auto bytes = encode(smp);
  const auto expected =
      from_hex<256>("01 01 01 05  80 04 00 00  00 00 00 00 00 00 00 01  00 02 00 00  00 00 00 00");
  EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + 64, bytes.begin())) << to_hex(bytes);
  EXPECT_EQ(bytes[127], std::byte{0x77});
  for (std::size_t i = 128; i < 256; ++i) EXPECT_EQ(bytes[i], std::byte{0});
  auto decoded = decode_smp(bytes);
  ASSERT_TRUE(decoded);
  decoded->dlid = Lid(9);
  EXPECT_EQ(*decoded, smp);
}

TEST(SmpBytes, RejectsInvalidHeaderFields) {
  const auto expect_bad = [](std::size_t at, unsigned value, std::string_view word) {
    auto bytes = encode(directed());
    bytes[at] = static_cast<std::byte>(value);
    const auto decoded = decode_smp(bytes);
    ASSERT_FALSE(decoded) << word;
    EXPECT_EQ(decoded.error().code, Code::kBadField);
    EXPECT_NE(decoded.error().message.find(word), std::string::npos) << decoded.error().message;
  };
  expect_bad(0, 2, "BaseVersion at bit 0 is 2");
  expect_bad(1, 0x03, "MgmtClass at bit 8 is 3");
  expect_bad(2, 7, "ClassVersion at bit 16 is 7");
  expect_bad(7, 64, "HopCount at bit 56 is 64");
  expect_bad(7, 255, "HopCount at bit 56 is 255");
  expect_bad(6, 4, "HopPointer at bit 48 is 4");
}

TEST(DeparturePort, IsTheFirstHopOfTheRemainingPath) {
  Smp smp;
  smp.initial_path[1] = 3;
  smp.return_path[2] = 4;
  EXPECT_EQ(departure_port(smp), 0) << "to the own node";
  smp.hop_count = 2;
  EXPECT_EQ(departure_port(smp), 3);
  smp.returning = true;
  EXPECT_EQ(departure_port(smp), 4);
  smp.hop_count = 64;
  EXPECT_EQ(departure_port(smp), 0) << "an invalid path";
}

TEST(DeparturePort, IsTheGivenPort) {
  Smp smp;
  smp.hop_count = 1;
  smp.initial_path[1] = 3;
  smp.port = 2;
  EXPECT_EQ(departure_port(smp), 2);
  smp.mgmt_class = MgmtClass::kSmpLidRouted;
  EXPECT_EQ(departure_port(smp), 2);
  smp.port = 0;
  EXPECT_EQ(departure_port(smp), 0) << "a LID-routed SMP has no path";
}

TEST(SmpBytes, AcceptsTheLongestPath) {
  Smp smp = directed();
  smp.hop_count = 63;
  smp.hop_pointer = 64;
  const auto decoded = decode_smp(encode(smp));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, smp);
}

}  // namespace
}  // namespace weft
