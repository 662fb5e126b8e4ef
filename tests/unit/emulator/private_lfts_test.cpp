// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Private forwarding tables (pLFTs) of emulated switches: what a switch announces, accepts and
// refuses, and the table that it uses for a packet.
#include <gtest/gtest.h>

#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/private_lfts.h"
#include "ib/vendor/private_lfts_unconfirmed.h"
#include "unit/emulator/client.h"

namespace weft {
namespace {

class PrivateLfts : public testing::Test {
 protected:
  static EmulatorOptions options(FeatureDevices devices) {
    EmulatorOptions result;
    result.adaptive = AdaptiveSwitches::kAnswered;
    result.private_lfts = devices;
    return result;
  }
  std::uint16_t set(AttributeId attribute, std::uint32_t modifier, const SmpData& data) {
    const auto answer = sm.set(attribute, modifier, {1}, data);
    return answer ? answer->status : std::uint16_t{0xFFFF};
  }
  std::uint16_t set_mode(std::uint8_t mode) {
    PrivateLftInfo info;
    info.mode_in_use = mode;
    return set(kPrivateLftInfo, 0, encode(info));
  }
  std::uint16_t define(std::uint8_t second_offset) {
    PrivateLftDefBlock block;
    block.tables[0] = {.force_sub_group_0 = false, .bank = 0, .size = 1, .offset = 0};
    block.tables[1] = {.force_sub_group_0 = false, .bank = 0, .size = 1, .offset = second_offset};
    return set(kPrivateLftDef, plft_unconfirmed::definition_modifier(0), encode(block));
  }
  std::uint16_t select(PortNum in, Sl sl, std::uint8_t table) {
    PortSlToPrivateLftBlock block;
    block.tables[in.value()][sl.value()] = table;
    return set(kPortSlToPrivateLftMap, plft_unconfirmed::sl_map_modifier(0), encode(block));
  }

  const Fabric fabric = two_switches();
  EmulatedFabric emulated{fabric, options(FeatureDevices::kAll)};
  Client sm{emulated, kH0};
};

TEST_F(PrivateLfts, AreAnnouncedWithModes) {
  const auto general = sm.get(kGeneralInfo, kCapabilityMaskOfDevice, {1});
  ASSERT_TRUE(general);
  const auto capabilities = decode_device_capabilities(general->data);
  EXPECT_TRUE(capabilities.has(DeviceCapabilities::kPrivateLft));
  EXPECT_TRUE(capabilities.has(DeviceCapabilities::kPortSlToPrivateLft));
  const PrivateLftInfo info = decode_private_lft_info(sm.get(kPrivateLftInfo, 0, {1})->data);
  EXPECT_GE(info.mode_count, 1);
  EXPECT_EQ(info.mode_in_use, 0);
}

TEST_F(PrivateLfts, AModeIsRefusedIfTablesOverlapOrExceedTheirBank) {
  ASSERT_EQ(define(0), 0);
  EXPECT_EQ(set_mode(1), mad_status::kInvalidField) << "two tables at one place";
  ASSERT_EQ(define(96), 0);
  EXPECT_EQ(set_mode(1), mad_status::kInvalidField) << "the bank has 96 units";
  ASSERT_EQ(define(95), 0);
  EXPECT_EQ(set_mode(1), 0);
  EXPECT_EQ(set_mode(9), mad_status::kInvalidField) << "there is no such mode";
}

TEST_F(PrivateLfts, CannotBeMovedWhileAModeIsInUse) {
  ASSERT_EQ(define(1), 0);
  ASSERT_EQ(set_mode(1), 0);
  EXPECT_EQ(define(2), mad_status::kInvalidField);
  EXPECT_EQ(select(PortNum(1), Sl(0), 1), mad_status::kInvalidField);
  ASSERT_EQ(set_mode(0), 0);
  EXPECT_EQ(select(PortNum(1), Sl(0), 1), 0);
  EXPECT_EQ(select(PortNum(1), Sl(0), 99), mad_status::kInvalidField) << "there is no such table";
}

TEST_F(PrivateLfts, HaveEntriesOfTheirOwn) {
  ArLftBlock block;
  block.entries[5] = {2, 0, PortNum(7), 0};
  const auto modifier = ar_unconfirmed::forwarding_table_modifier(0, 1);
  EXPECT_EQ(set(kArForwardingTable, modifier, encode(block)), 0);
  const auto& model = emulated.adaptive(SwitchId(0));
  EXPECT_EQ(model.entries_of(1).at(5).default_port, PortNum(7));
  EXPECT_TRUE(model.entries.empty() || model.entries.at(5).default_port != PortNum(7));
  EXPECT_EQ(
      set(kArForwardingTable, ar_unconfirmed::forwarding_table_modifier(0, 99), encode(block)),
      mad_status::kInvalidField);
}

TEST_F(PrivateLfts, AreSelectedByInputPortAndSl) {
  const auto& model = emulated.adaptive(SwitchId(0)).plft;
  ASSERT_EQ(define(1), 0);
  ASSERT_EQ(select(PortNum(1), Sl(3), 1), 0);
  EXPECT_EQ(model.table(PortNum(1), Sl(3)), 0u) << "no mode is in use";
  ASSERT_EQ(set_mode(1), 0);
  EXPECT_EQ(model.table(PortNum(1), Sl(3)), 1u);
  EXPECT_EQ(model.table(PortNum(1), Sl(2)), 0u);
  EXPECT_EQ(model.table(PortNum(2), Sl(3)), 0u);
}

// An SMP by LID has SL 0 and is forwarded like a data packet.
TEST_F(PrivateLfts, PacketsForLidsAboveTheTopOfTheirTableAreDropped) {
  ASSERT_EQ(sm.set_lid({}, 1, 3, 3), 0);
  ASSERT_EQ(sm.set_lid({1, 2}, 0, 2, 3), 0);
  sm.set_lft({1}, {{2, 2}, {3, 1}});
  sm.set_lft({1, 2}, {{2, 0}, {3, 1}});
  const auto arrives = [&](Lid top) {
    PrivateLftMap map{.sets_ports = false, .sets_top = true, .ports = {}, .top = top};
    EXPECT_EQ(set_mode(0), 0);
    EXPECT_EQ(set(kPrivateLftMap, plft_unconfirmed::map_modifier(1, 0), encode(map)), 0);
    map.top = Lid(3);  // top of table 0, which forwards the responses
    EXPECT_EQ(set(kPrivateLftMap, plft_unconfirmed::map_modifier(0, 0), encode(map)), 0);
    EXPECT_EQ(set_mode(1), 0);
    return sm.request(by_lid(Method::kGet, AttributeId::kNodeInfo, 0, Lid(2))).has_value();
  };
  ASSERT_EQ(define(1), 0);
  ASSERT_EQ(select(PortNum(1), Sl(0), 1), 0);
  AdaptiveRoutingInfo info;
  info.enabled = true;
  ASSERT_EQ(set(kAdaptiveRoutingInfo, 0, encode(info)), 0);
  EXPECT_TRUE(arrives(Lid(2)));
  EXPECT_FALSE(arrives(Lid(1)));
}

TEST_F(PrivateLfts, SupportDependsOnTheEmulatorOption) {
  EmulatedFabric mixed{fabric, options(FeatureDevices::kMixed)};
  Client client{mixed, kH0};
  const auto announced = [&](const Path& path) {
    return decode_device_capabilities(
        client.get(kGeneralInfo, kCapabilityMaskOfDevice, path)->data);
  };
  EXPECT_TRUE(announced({1}).has(DeviceCapabilities::kPortSlToPrivateLft));
  EXPECT_TRUE(announced({1, 2}).has(DeviceCapabilities::kPrivateLft));
  EXPECT_FALSE(announced({1, 2}).has(DeviceCapabilities::kPortSlToPrivateLft));
  EXPECT_EQ(client.get(kPortSlToPrivateLftMap, 0, {1, 2})->status,
            mad_status::kMethodAttributeUnsupported);
  EmulatedFabric none{fabric, options(FeatureDevices::kNone)};
  Client other{none, kH0};
  EXPECT_EQ(other.get(kPrivateLftInfo, 0, {1})->status, mad_status::kMethodAttributeUnsupported);
}

}  // namespace
}  // namespace weft
