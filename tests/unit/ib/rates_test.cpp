// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Rate codes of path records, and the names and data rates of widths and speeds. Source: InfiniBand
// Architecture Specification, volume 1, chapter 15.2.5.16, "Rate".
#include "ib/rates.h"

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <utility>

#include "ib/enums.h"

namespace weft {
namespace {

constexpr std::array kWidths{LinkWidth::k1x, LinkWidth::k2x, LinkWidth::k4x, LinkWidth::k8x,
                             LinkWidth::k12x};

TEST(Rates, HaveADataRateForEachCode) {
  // In units of 100 Mbit/s, by rate code from 2 on.
  const std::array<unsigned, 25> expected{20,  80,   240,  40,   160,   320,   480,  640,  960,
                                          136, 545,  1091, 1636, 242,   970,   1939, 2909, 273,
                                          485, 3879, 5818, 7758, 11636, 15515, 23273};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(data_rate_of(static_cast<std::uint8_t>(i + 2)), expected[i]) << "code " << i + 2;
  for (const unsigned code : {0u, 1u, 27u, 63u})
    EXPECT_EQ(data_rate_of(static_cast<std::uint8_t>(code)), 0u);
}

TEST(Rates, HaveACodeForEachWidthAndSpeed) {
  const std::pair<LinkSpeed, std::array<unsigned, 5>> expected[] = {
      {LinkSpeed::kSdr, {2, 5, 3, 6, 4}},      {LinkSpeed::kDdr, {5, 3, 6, 7, 8}},
      {LinkSpeed::kQdr, {3, 6, 7, 9, 10}},     {LinkSpeed::kFdr10, {3, 6, 7, 9, 10}},
      {LinkSpeed::kFdr, {11, 19, 12, 13, 14}}, {LinkSpeed::kEdr, {15, 20, 16, 17, 18}},
      {LinkSpeed::kHdr, {20, 16, 17, 21, 22}}, {LinkSpeed::kNdr, {16, 17, 21, 23, 24}},
      {LinkSpeed::kXdr, {17, 21, 23, 25, 26}},
  };
  for (const auto& [speed, codes] : expected)
    for (std::size_t i = 0; i < kWidths.size(); ++i)
      EXPECT_EQ(rate_code(kWidths[i], speed), codes[i]) << name(kWidths[i]) << " " << name(speed);
}

TEST(Rates, OfNewerCodesMapToOriginalCodesThatAreNotFaster) {
  for (unsigned code = 0; code <= 18; ++code)
    EXPECT_EQ(rate_up_to(static_cast<std::uint8_t>(code), kOriginalRateLast), code);
  for (const auto& [code, original] :
       {std::pair(19, 15), std::pair(20, 7), std::pair(21, 18), std::pair(22, 18),
        std::pair(23, 18), std::pair(24, 18), std::pair(25, 18), std::pair(63, 63)})
    EXPECT_EQ(rate_up_to(static_cast<std::uint8_t>(code), kOriginalRateLast), original)
        << "code " << code;
}

TEST(Rates, AreLimitedToTheLastPermittedCode) {
  for (const auto& [code, last, limited] :
       {std::tuple(26, 24, 24), std::tuple(25, 24, 24), std::tuple(26, 22, 22),
        std::tuple(23, 22, 22), std::tuple(21, 22, 21), std::tuple(26, 26, 26),
        std::tuple(15, 2, 2), std::tuple(20, 19, 7)})
    EXPECT_EQ(rate_up_to(static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(last)), limited)
        << "code " << code << " up to " << last;
}

TEST(Rates, HaveANextSlowerRate) {
  for (const auto& [code, slower] :
       {std::pair(2, 0), std::pair(5, 2), std::pair(3, 5), std::pair(11, 3), std::pair(15, 4),
        std::pair(16, 10), std::pair(18, 17), std::pair(24, 23), std::pair(26, 25), std::pair(0, 0),
        std::pair(27, 0)})
    EXPECT_EQ(slower_rate(static_cast<std::uint8_t>(code)), slower) << "code " << code;
}

TEST(Links, HaveNamesAndDataRates) {
  const std::tuple<LinkWidth, unsigned, const char*> widths[] = {{LinkWidth::k1x, 1, "1x"},
                                                                 {LinkWidth::k2x, 2, "2x"},
                                                                 {LinkWidth::k4x, 4, "4x"},
                                                                 {LinkWidth::k8x, 8, "8x"},
                                                                 {LinkWidth::k12x, 12, "12x"}};
  const std::tuple<LinkSpeed, unsigned, const char*> speeds[] = {
      {LinkSpeed::kSdr, 20, "SDR"},  {LinkSpeed::kDdr, 40, "DDR"},
      {LinkSpeed::kQdr, 80, "QDR"},  {LinkSpeed::kFdr10, 100, "FDR10"},
      {LinkSpeed::kFdr, 136, "FDR"}, {LinkSpeed::kEdr, 250, "EDR"},
      {LinkSpeed::kHdr, 500, "HDR"}, {LinkSpeed::kNdr, 1000, "NDR"},
      {LinkSpeed::kXdr, 2000, "XDR"}};
  for (const auto& [width, count, width_name] : widths) {
    EXPECT_EQ(lanes(width), count);
    EXPECT_EQ(name(width), width_name);
    EXPECT_EQ(parse_link_width(width_name), width);
    for (const auto& [speed, lane_rate, speed_name] : speeds) {
      EXPECT_EQ(data_rate_100mbit(width, speed), count * lane_rate);
      EXPECT_EQ(name(speed), speed_name);
      EXPECT_EQ(parse_link_speed(speed_name), speed);
    }
  }
  EXPECT_EQ(parse_link_width("12X"), LinkWidth::k12x);
  for (const char* text : {"", "x", "4", "3x", "4xx", "x4"})
    EXPECT_EQ(parse_link_width(text), std::nullopt) << text;
  for (const char* text : {"", "edr", "EDR ", "FDR1"})
    EXPECT_EQ(parse_link_speed(text), std::nullopt) << text;
}

TEST(NodeTypes, HaveNames) {
  EXPECT_EQ(name(NodeType::kCa), "CA");
  EXPECT_EQ(name(NodeType::kSwitch), "SW");
  EXPECT_EQ(name(NodeType::kRouter), "RTR");
}

TEST(PortStates, HaveNamesAndOtherwiseTheNumber) {
  EXPECT_EQ(port_state_text(PortState::kArmed), "ARMED");
  EXPECT_EQ(port_state_text(PortState(9)), "9");
}

TEST(Mtus, HaveTheirNumberOfBytes) {
  EXPECT_EQ(bytes(Mtu::k256), 256u);
  EXPECT_EQ(bytes(Mtu::k4096), 4096u);
}

}  // namespace
}  // namespace weft
