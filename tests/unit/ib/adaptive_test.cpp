// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing attributes, compared with bytes, and round trips of random bytes.
#include "ib/adaptive.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/ar_settings.h"
#include "ib/vendor/device_capabilities.h"
#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

std::uint32_t word(const SmpData& data, std::size_t index) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(data[4 * index + i]);
  return value;
}

TEST(AdaptiveWire, IsAnnouncedByBit2OfGeneralInfo) {
  SmpData data{};
  data[3] = std::byte{0x04};  // bit 2 of the first word
  EXPECT_TRUE(decode_device_capabilities(data).has(DeviceCapabilities::kAdaptiveRouting));
  EXPECT_FALSE(decode_device_capabilities(data).has(DeviceCapabilities::kOlderAdaptiveRouting));
}

TEST(AdaptiveWire, InfoHasEachFieldAtItsBits) {
  AdaptiveRoutingInfo info;
  info.enabled = true;
  info.sub_groups_active = 0xA;
  info.directions = 0x5C;
  info.no_fallback = true;
  info.by_transport_capable = true;
  info.group_capacity = 0x812;
  info.group_top = 0x345;
  info.group_tables = 0x6;
  info.string_width = 0x9;
  info.version = 1;
  info.rn_version = 2;
  info.sub_groups = 0x33;
  info.sl_mask = 0xFFFE;
  info.transports_excluded = 0x0F;
  info.ageing_time_us = 30;
  const SmpData data = encode(info);
  EXPECT_EQ(word(data, 0), 1u | 0xAu << 8 | 0x5Cu << 16 | 1u << 24 | 1u << 29);
  EXPECT_EQ(word(data, 1), 0x812u | 0x345u << 12 | 0x6u << 24 | 0x9u << 28);
  EXPECT_EQ(word(data, 2), 1u | 2u << 4 | 0x33u << 8 | 0xFFFEu << 16);
  EXPECT_EQ(word(data, 3), 0x0Fu);
  EXPECT_EQ(word(data, 4), 30u);
  for (std::size_t i = 5; i < 16; ++i) EXPECT_EQ(word(data, i), 0u) << i;
  EXPECT_EQ(decode_adaptive_routing_info(data), info);
}

TEST(AdaptiveWire, InfoHasTheFieldsOfHashBasedForwardingAfterTheFirst20Bytes) {
  AdaptiveRoutingInfo info;
  info.older_chip_compatible = true;
  info.computes_capacity = true;
  info.more_capabilities = AdaptiveRoutingInfo::kHbfCapable | AdaptiveRoutingInfo::kPfrnCapable;
  info.more_enabled = AdaptiveRoutingInfo::kHbfBySlEnabled | AdaptiveRoutingInfo::kWhbfEnabled |
                      AdaptiveRoutingInfo::kPfrnEnabled;
  info.whbf_granularity = 5;
  info.hbf_sl_mask = 0x1234;
  const SmpData data = encode(info);
  EXPECT_EQ(word(data, 0), 1u << 25 | 1u << 30);
  EXPECT_EQ(word(data, 5), 0x82u << 24 | 0xD0u << 8)
      << "capabilities in byte 20, enabled functions in byte 22";
  EXPECT_EQ(word(data, 6), 0xA0u << 24 | 0x1234u)
      << "granularity in bits 5 to 7 of byte 24, SL mask in bytes 26 to 27";
  EXPECT_EQ(decode_adaptive_routing_info(data), info);
}

/// The place of a field: a byte of the data and the bits of the field in this byte.
struct FieldPlace {
  std::size_t byte = 0;
  std::uint8_t bits = 0;
};
struct InfoField {
  const char* name;
  std::function<void(AdaptiveRoutingInfo&)> fill;  // sets all bits of the field
  std::vector<FieldPlace> places;
};

/// All fields of AdaptiveRoutingInfo, with all bits of each field. Word n has bytes 4n (bits 24 to
/// 31) to 4n + 3 (bits 0 to 7).
std::vector<InfoField> all_info_fields() {
  using Info = AdaptiveRoutingInfo;
  return {
      {"enabled", [](Info& i) { i.enabled = true; }, {{3, 0x01}}},
      {"ARN capability", [](Info& i) { i.arn_capable = true; }, {{3, 0x02}}},
      {"FRN capability", [](Info& i) { i.frn_capable = true; }, {{3, 0x04}}},
      {"fallback capability", [](Info& i) { i.fallback_capable = true; }, {{3, 0x08}}},
      {"fallback enabled", [](Info& i) { i.fallback_enabled = true; }, {{3, 0x10}}},
      {"notifications sent", [](Info& i) { i.rn_transmission = true; }, {{3, 0x20}}},
      {"sub-groups active", [](Info& i) { i.sub_groups_active = 0xF; }, {{2, 0x0F}}},
      {"group copy", [](Info& i) { i.group_copy = 0xF; }, {{2, 0xF0}}},
      {"directions", [](Info& i) { i.directions = 0xFF; }, {{1, 0xFF}}},
      {"no fallback", [](Info& i) { i.no_fallback = true; }, {{0, 0x01}}},
      {"older chip", [](Info& i) { i.older_chip_compatible = true; }, {{0, 0x02}}},
      {"global groups", [](Info& i) { i.global_groups = true; }, {{0, 0x04}}},
      {"by SL capability", [](Info& i) { i.by_sl_capable = true; }, {{0, 0x08}}},
      {"by SL enabled", [](Info& i) { i.by_sl_enabled = true; }, {{0, 0x10}}},
      {"by transport", [](Info& i) { i.by_transport_capable = true; }, {{0, 0x20}}},
      {"computes capacity", [](Info& i) { i.computes_capacity = true; }, {{0, 0x40}}},
      {"capacity", [](Info& i) { i.group_capacity = 0xFFF; }, {{7, 0xFF}, {6, 0x0F}}},
      {"top", [](Info& i) { i.group_top = 0xFFF; }, {{6, 0xF0}, {5, 0xFF}}},
      {"tables", [](Info& i) { i.group_tables = 0xF; }, {{4, 0x0F}}},
      {"string width", [](Info& i) { i.string_width = 0xF; }, {{4, 0xF0}}},
      {"version", [](Info& i) { i.version = 0xF; }, {{11, 0x0F}}},
      {"RN version", [](Info& i) { i.rn_version = 0xF; }, {{11, 0xF0}}},
      {"sub-groups", [](Info& i) { i.sub_groups = 0xFF; }, {{10, 0xFF}}},
      {"SL mask", [](Info& i) { i.sl_mask = 0xFFFF; }, {{8, 0xFF}, {9, 0xFF}}},
      {"transports excluded", [](Info& i) { i.transports_excluded = 0xFF; }, {{15, 0xFF}}},
      {"ageing time",
       [](Info& i) { i.ageing_time_us = 0xFFFFFFFF; },
       {{16, 0xFF}, {17, 0xFF}, {18, 0xFF}, {19, 0xFF}}},
      {"capabilities", [](Info& i) { i.more_capabilities = 0xFF; }, {{20, 0xFF}}},
      {"enabled functions", [](Info& i) { i.more_enabled = 0xFF; }, {{22, 0xFF}}},
      {"weight granularity", [](Info& i) { i.whbf_granularity = 7; }, {{24, 0xE0}}},
      {"HBF SL mask", [](Info& i) { i.hbf_sl_mask = 0xFFFF; }, {{26, 0xFF}, {27, 0xFF}}},
  };
}

TEST(AdaptiveWire, EachBitOfInfoBelongsToOneField) {
  AdaptiveRoutingInfo all;
  SmpData expected_of_all{};
  for (const InfoField& field : all_info_fields()) {
    SmpData expected{};
    for (const FieldPlace& place : field.places) {
      expected[place.byte] |= std::byte{place.bits};
      EXPECT_EQ(expected_of_all[place.byte] & std::byte{place.bits}, std::byte{0}) << field.name;
      expected_of_all[place.byte] |= std::byte{place.bits};
    }
    AdaptiveRoutingInfo info;
    field.fill(info);
    field.fill(all);
    EXPECT_EQ(encode(info), expected) << field.name;
    EXPECT_EQ(decode_adaptive_routing_info(expected), info) << field.name;
  }
  EXPECT_EQ(encode(all), expected_of_all);
  EXPECT_EQ(decode_adaptive_routing_info(expected_of_all), all);
}

TEST(AdaptiveWire, InfoIsWrittenBackAsRead) {
  SmpData read;
  read.fill(std::byte{0xFF});
  AdaptiveRoutingInfo info = decode_adaptive_routing_info(read);
  EXPECT_EQ(encode(info, read), read) << "bits that belong to no field must be kept";
  info.ageing_time_us = 0;
  SmpData expected = read;
  for (std::size_t i = 16; i < 20; ++i) expected[i] = std::byte{0};
  EXPECT_EQ(encode(info, read), expected);
}

TEST(AdaptiveWire, HashFieldsNeedTheirCapabilities) {
  using Info = AdaptiveRoutingInfo;
  EXPECT_EQ(Info::kDestinationQpHashCapable, 1u << 3);
  EXPECT_EQ(Info::kDcethHashCapable, 1u << 4);
  constexpr std::uint64_t kDefault = 0x40F00C0F;
  const auto supported = [&](unsigned capabilities) {
    return kDefault &
           ar_unconfirmed::supported_hash_fields(static_cast<std::uint8_t>(capabilities));
  };
  EXPECT_EQ(supported(0xFF), kDefault);
  EXPECT_EQ(supported(1u << 3), 0x40300C0Fu) << "the fields of the DCETH are bits 22 and 23";
  EXPECT_EQ(supported(1u << 4), 0x40E00C0Fu) << "the destination QP of the BTH is bit 20";
  EXPECT_EQ(supported(Info::kHbfCapable), 0x40200C0Fu);
}

TEST(AdaptiveWire, ReservedBitsOfInfoAreIgnored) {
  SmpData data{};
  data[0] = std::byte{0x80};                         // bit 31 of word 0
  data[3] = std::byte{0xC0};                         // bits 7 and 6
  data[12] = data[13] = data[14] = std::byte{0xFF};  // bits 31 to 8 of word 3
  EXPECT_EQ(decode_adaptive_routing_info(data), AdaptiveRoutingInfo{});
}

TEST(AdaptiveWire, EntriesHaveFourBytesForEachLid) {
  ArLftBlock block;
  block.entries[0] = {0, 0, PortNum(7), 0x123};
  block.entries[14] = {3, 0, PortNum(1), 2};
  block.entries[15] = {1, 3, PortNum(36), 0xFFF};
  const SmpData data = encode(block);
  EXPECT_EQ(word(data, 0), 0x123u | 7u << 16);
  EXPECT_EQ(word(data, 1), 255u << 16 | 2u << 30) << "a static entry without a port";
  EXPECT_EQ(word(data, 14), 2u | 1u << 16 | 3u << 30) << "an entry with hash-based forwarding";
  EXPECT_EQ(word(data, 15), 0xFFFu | 36u << 16 | 3u << 24 | 1u << 30);
  EXPECT_EQ(decode_ar_lft_block(data), block);
}

TEST(AdaptiveWire, GroupsAreMasksOfPorts) {
  ArGroupBlock block;
  block.groups[0].set(1).set(36);
  block.groups[1].set(0).set(255);
  const SmpData data = encode(block);
  EXPECT_EQ(word(data, 7), 1u << 1) << "ports 0 to 31 are the last word of the first group";
  EXPECT_EQ(word(data, 6), 1u << 4);
  EXPECT_EQ(word(data, 8), 1u << 31);
  EXPECT_EQ(word(data, 15), 1u);
  EXPECT_EQ(decode_ar_group_block(data), block);
}

TEST(AdaptiveWire, CopiesAreRangesOfGroups) {
  ArGroupCopyBlock block;
  block.ranges[0] = {.first = 0x123, .last = 0xFFE};
  block.ranges[15] = {.first = 1, .last = 2};
  const SmpData data = encode(block);
  EXPECT_EQ(word(data, 0), 0xFFEu << 16 | 0x123u)
      << "the last group of a range is before the first group";
  EXPECT_EQ(word(data, 1), 0u);
  EXPECT_EQ(word(data, 15), 2u << 16 | 1u);
  EXPECT_EQ(decode_ar_group_copy_block(data), block);
}

TEST(AdaptiveWire, HbfConfigurationHasAHashASeedAndFields) {
  const HbfConfig config{.hash = HbfConfig::kXor,
                         .seed_type = HbfConfig::kRandomSeed,
                         .seed = 0x12345678,
                         .fields = 0x0102030440F00C0F};
  const SmpData data = encode(config);
  EXPECT_EQ(word(data, 0), 0x11u << 24)
      << "hash in bits 4 to 7 and seed type in bits 0 to 1 of byte 0";
  EXPECT_EQ(word(data, 1), 0u);
  EXPECT_EQ(word(data, 2), 0x12345678u);
  EXPECT_EQ(word(data, 3), 0x01020304u);
  EXPECT_EQ(word(data, 4), 0x40F00C0Fu);
  EXPECT_EQ(word(data, 5), 0u) << "the configuration ends after 20 bytes";
  EXPECT_EQ(decode_hbf_config(data), config);
}

TEST(AdaptiveWire, WeightsHaveThreeBytesForEachGroupAfterAReservedByte) {
  WhbfBlock block;
  block.weights[0] = {43, 21, 0};
  block.weights[15] = {1, 2, 255};
  const SmpData data = encode(block);
  EXPECT_EQ(word(data, 0), 43u << 16 | 21u << 8);
  EXPECT_EQ(word(data, 1), 0u);
  EXPECT_EQ(word(data, 15), 1u << 16 | 2u << 8 | 255u);
  EXPECT_EQ(decode_whbf_block(data), block);
  EXPECT_EQ(kWhbfConfig, AttributeId{0xFF25});
}

TEST(AdaptiveWire, PersistentNotificationsHaveAnSlAPolicyAndClearTimes) {
  const PfrnConfig config{.selects_policy = true,
                          .sl = 9,
                          .policy = PfrnConfig::kDragonflyPlus,
                          .force_clear_s = 720,
                          .clear_s = 0x7FF};
  const SmpData data = encode(config);
  EXPECT_EQ(word(data, 0), 1u) << "selection of the policy in bit 0 of byte 3";
  EXPECT_EQ(word(data, 1), 0u);
  EXPECT_EQ(word(data, 2), 9u << 28 | 1u)
      << "SL in bits 4 to 7 of byte 8, policy in bits 0 to 3 of byte 11";
  EXPECT_EQ(word(data, 3), 720u << 16 | 0x7FFu);
  EXPECT_EQ(decode_pfrn_config(data), config);
}

RC_GTEST_PROP(AdaptiveWire, AnySettingsAreReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  const auto hashing = decode_hbf_config(data);
  RC_ASSERT(decode_hbf_config(encode(hashing)) == hashing);
  const auto weights = decode_whbf_block(data);
  RC_ASSERT(decode_whbf_block(encode(weights)) == weights);
  const auto pfrn = decode_pfrn_config(data);
  RC_ASSERT(decode_pfrn_config(encode(pfrn)) == pfrn);
}

TEST(AdaptiveWire, NotificationsAreDirectionsStringsAndPorts) {
  RnDirectionBlock directions;
  directions.directions[0] = 1;
  directions.directions[63] = kRnNoDirection;
  SmpData data = encode(directions);
  EXPECT_EQ(word(data, 0), 1u << 24);
  EXPECT_EQ(word(data, 15), 0xFFu);
  EXPECT_EQ(decode_rn_direction_block(data), directions);

  RnGenStringBlock strings;
  strings.strings[0] = 0x8123;
  strings.strings[31] = 2;
  data = encode(strings);
  EXPECT_EQ(word(data, 0), 0x8123u << 16);
  EXPECT_EQ(word(data, 15), 2u);
  EXPECT_EQ(decode_rn_gen_string_block(data), strings);

  RnRcvStringBlock received;
  received.strings[1] = {RnDecision::kConsume, 0, 0};
  received.strings[15] = {RnDecision::kPassOn, 4, 0xFFFE};
  data = encode(received);
  EXPECT_EQ(word(data, 0), 0u) << "the default decision is to discard";
  EXPECT_EQ(word(data, 1), 2u);
  EXPECT_EQ(word(data, 15), 3u | 4u << 8 | 0xFFFEu << 16);
  EXPECT_EQ(decode_rn_rcv_string_block(data), received);

  RnXmitPortBlock ports;
  ports.faults.set(0).set(9);
  ports.passed_on.set(9).set(15);
  data = encode(ports);
  EXPECT_EQ(word(data, 0), 2u << 28);
  EXPECT_EQ(word(data, 1), 6u << 24 | 4u);
  EXPECT_EQ(decode_rn_xmit_port_block(data), ports);
}

RC_GTEST_PROP(AdaptiveWire, AnyNotificationsAreReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  RC_ASSERT(encode(decode_rn_direction_block(data)) == data);
  const auto strings = decode_rn_gen_string_block(data);
  RC_ASSERT(decode_rn_gen_string_block(encode(strings)) == strings);
  const auto received = decode_rn_rcv_string_block(data);
  RC_ASSERT(decode_rn_rcv_string_block(encode(received)) == received);
  const auto ports = decode_rn_xmit_port_block(data);
  RC_ASSERT(decode_rn_xmit_port_block(encode(ports)) == ports);
}

RC_GTEST_PROP(AdaptiveWire, AnyInfoIsReadBackUnchanged, ()) {
  const auto first = decode_adaptive_routing_info(any_bytes<kSmpDataSize>());
  RC_ASSERT(decode_adaptive_routing_info(encode(first)) == first);
}
RC_GTEST_PROP(AdaptiveWire, AnyGroupsAreReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  RC_ASSERT(encode(decode_ar_group_block(data)) == data);
}
RC_GTEST_PROP(AdaptiveWire, AnyCopiesAreReadBackUnchanged, ()) {
  const auto first = decode_ar_group_copy_block(any_bytes<kSmpDataSize>());
  RC_ASSERT(decode_ar_group_copy_block(encode(first)) == first);
}
RC_GTEST_PROP(AdaptiveWire, AnyEntriesAreReadBackUnchanged, ()) {
  const auto first = decode_ar_lft_block(any_bytes<kSmpDataSize>());
  RC_ASSERT(decode_ar_lft_block(encode(first)) == first);
}

}  // namespace
}  // namespace weft
