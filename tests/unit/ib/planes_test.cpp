// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of planarized devices, compared with bytes, and round trips of random bytes.
#include "ib/vendor/planes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <initializer_list>
#include <utility>

#include "unit/ib/any_bytes.h"

namespace weft {
namespace {

using testing::HasSubstr;

/// Zeros, except for bytes given by offset and value.
SmpData bytes_at(std::initializer_list<std::pair<std::size_t, unsigned>> values) {
  SmpData bytes{};
  for (const auto& [at, value] : values) bytes[at] = static_cast<std::byte>(value);
  return bytes;
}

TEST(PlaneWire, HierarchyInfoHasEachFieldAtItsOffset) {
  HierarchyInfo info{0x0102030405060708, 0x09, 0x0A, 0xB, {}};
  info.levels[0] = 0x11121314;
  info.levels[12] = 0x21222324;
  const SmpData data = bytes_at({{0, 1},
                                 {1, 2},
                                 {2, 3},
                                 {3, 4},
                                 {4, 5},
                                 {5, 6},
                                 {6, 7},
                                 {7, 8},
                                 {8, 9},
                                 {9, 0x0A},
                                 {10, 0xB0},
                                 {12, 0x11},
                                 {13, 0x12},
                                 {14, 0x13},
                                 {15, 0x14},
                                 {60, 0x21},
                                 {61, 0x22},
                                 {62, 0x23},
                                 {63, 0x24}});
  EXPECT_EQ(encode(info), data);
  EXPECT_EQ(decode_hierarchy_info(data), info);
}

TEST(PlaneWire, HierarchyInfoModifierHasTheBlockAndThePort) {
  EXPECT_EQ(hierarchy_modifier(2, PortNum(0x41)), 0x241u);
}

TEST(PlaneWire, TemplateFourHasTheSpecifiedSelectorAtEachLevel) {
  const PlanePlace place{17, 3, 2, 4};
  const SmpData data = encode(hierarchy_of(place));
  EXPECT_EQ(data[7], std::byte{4}) << "template number in byte 7";
  EXPECT_EQ(data[10], std::byte{0xD0}) << "number of levels in byte 10";
  EXPECT_EQ(data[12 + 4 * 6 + 3], std::byte{3}) << "ASIC at level 6";
  EXPECT_EQ(data[12 + 4 * 10 + 3], std::byte{2}) << "plane at level 10";
  EXPECT_EQ(data[12 + 4 * 11 + 3], std::byte{4}) << "number of planes at level 11";
  EXPECT_EQ(data[12 + 4 * 12 + 3], std::byte{17}) << "APort at level 12";
  EXPECT_EQ(*plane_place(decode_hierarchy_info(data)), place);
}

/// A block of the template, in which level i has the value `first` + i.
HierarchyInfo block_of(std::uint64_t template_number, std::uint8_t levels, std::uint32_t first) {
  HierarchyInfo info;
  info.template_guid = template_number;
  info.index_supported = info.index_active = 1;
  info.levels_active = levels;
  for (std::size_t i = 0; i < HierarchyInfo::kLevels; ++i)
    info.levels[i] = first + static_cast<std::uint32_t>(i);
  return info;
}

TEST(PlaneWire, EachTemplateHasThePositionsOfItsSelectors) {
  const auto place_of = [](std::uint64_t number) {
    return hardware_place(std::vector{block_of(number, 13, 100), block_of(number, 3, 113)});
  };
  EXPECT_EQ(place_of(3), (HardwarePlace{104, 103, 102, 101, 100}));
  EXPECT_EQ(place_of(4), (HardwarePlace{{}, 106, 103, 102, 105}));
  EXPECT_EQ(place_of(5), (HardwarePlace{{}, {}, 103, 102, 105, 113, 114, 115}));
  EXPECT_EQ(place_of(6), (HardwarePlace{{}, {}, {}, {}, {}, 100, 101, 102}));
  EXPECT_EQ(place_of(7), HardwarePlace{});
  EXPECT_EQ(hardware_place({}), HardwarePlace{});
}

TEST(PlaneWire, LevelsThatAreNotActiveHaveNoPosition) {
  EXPECT_EQ(hardware_place(std::vector{block_of(3, 2, 100)}),
            (HardwarePlace{{}, {}, {}, 101, 100}));
  EXPECT_EQ(hardware_place(std::vector{block_of(5, 13, 100)}).system, std::nullopt)
      << "only block 0";
  EXPECT_EQ(hardware_place(std::vector{block_of(5, 13, 100), block_of(4, 13, 113)}).system,
            std::nullopt)
      << "a block of another template";
}

TEST(PlaneWire, BlocksAreReadUpToTheLastBlockInUse) {
  HierarchyInfo first;
  first.index_supported = 3;
  first.index_active = 1;
  EXPECT_EQ(last_hierarchy_block(first), 1);
  first.index_active = 3;
  first.index_supported = 2;
  EXPECT_EQ(last_hierarchy_block(first), 2) << "not more than the device supports";
  first.index_active = first.index_supported = 255;
  EXPECT_EQ(last_hierarchy_block(first), HierarchyInfo::kBlocksMax - 1);
}

TEST(PlaneWire, HierarchyBlocksOfEachTemplateAreReadBack) {
  const PlanePlace place{7, 0, 2, 4};
  const HardwarePlace ndr{1, 2, 3, 4, 5}, xdr{{}, 2, 3, 4, 5};
  const HardwarePlace ca{{}, {}, 3, 4, 5, 6, 7, 8}, port0{{}, {}, {}, {}, {}, 6, 7, 8};
  EXPECT_EQ(hardware_place(hierarchy_blocks(3, place, ndr)), ndr);
  EXPECT_EQ(hardware_place(hierarchy_blocks(4, place, xdr)), xdr);
  EXPECT_EQ(hardware_place(hierarchy_blocks(5, place, ca)), ca);
  EXPECT_EQ(hardware_place(hierarchy_blocks(6, place, port0)), port0);
  EXPECT_EQ(hierarchy_blocks(5, place, ca).size(), 2u);
  EXPECT_EQ(*plane_place(hierarchy_blocks(5, place, ca)[0]), place);
  EXPECT_EQ(*plane_place(hierarchy_blocks(3, place, ndr)[0]), std::nullopt);
}

TEST(PlaneWire, TemplateFiveHasNoAsic) {
  HierarchyInfo info = hierarchy_of({1, 3, 1, 2});
  info.template_guid = 5;
  EXPECT_EQ(*plane_place(info), (PlanePlace{1, 0, 1, 2}));
}

TEST(PlaneWire, OtherAndShortTemplatesHaveNoPlanes) {
  HierarchyInfo info = hierarchy_of({1, 1, 1, 2});
  info.template_guid = 3;
  EXPECT_EQ(*plane_place(info), std::nullopt);
  info.template_guid = 4;
  info.levels_active = 12;
  EXPECT_EQ(*plane_place(info), std::nullopt);
}

TEST(PlaneWire, ImpossiblePlanesAreRefused) {
  EXPECT_THAT(plane_place(hierarchy_of({1, 1, 1, 3})).error().message, HasSubstr("3 planes"));
  EXPECT_THAT(plane_place(hierarchy_of({1, 1, 3, 2})).error().message,
              HasSubstr("plane 3, expected 1 to 2"));
  EXPECT_THAT(plane_place(hierarchy_of({1, 1, 0, 2})).error().message, HasSubstr("plane 0"));
  EXPECT_THAT(plane_place(hierarchy_of({1, 1, 1, 0})).error().message,
              HasSubstr("0 without planes"));
  EXPECT_TRUE(plane_place(hierarchy_of({1, 1, 0, 0})));
}

TEST(PlaneWire, ExtendedNodeInfoHasEachFieldAtItsBits) {
  const ExtendedNodeInfo info{1, 2, 3, 4, 5, 6, ExtendedNodeInfo::kMultiplaneCa, true, false, 4};
  const SmpData data =
      bytes_at({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {13, 5}, {14, 6}, {15, 2}, {16, 0x80}, {19, 4}});
  EXPECT_EQ(encode(info), data);
  EXPECT_EQ(decode_extended_node_info(data), info);
  ExtendedNodeInfo retrain;
  retrain.link_auto_retrain = true;
  EXPECT_EQ(encode(retrain), bytes_at({{16, 0x40}}));
}

TEST(PlaneWire, PlaneFilterHasTwentyBitsForEachPlane) {
  const EndPortPlaneFilter filter{{0xABCDE, 0, 0, 0x00123}};
  const SmpData data = bytes_at({{9, 0x0A}, {10, 0xBC}, {11, 0xDE}, {22, 0x01}, {23, 0x23}});
  EXPECT_EQ(encode(filter), data);
  EXPECT_EQ(decode_end_port_plane_filter(data), filter);
}

TEST(PlaneWire, CapabilityMaskHasThirtyTwoBitsInEachWord) {
  DeviceCapabilities capabilities;
  capabilities.set(DeviceCapabilities::kExtendedPortInfo);
  capabilities.set(DeviceCapabilities::kPlaneFilter);
  const SmpData data = bytes_at({{2, 0x02}, {11, 0x01}});
  EXPECT_EQ(encode(capabilities), data);
  const auto back = decode_device_capabilities(data);
  EXPECT_TRUE(back.has(9) && back.has(64));
  EXPECT_FALSE(back.has(8) || back.has(13) || back.has(65) || back.has(127));
}

TEST(PlaneWire, SettingFnmBitsKeepsOtherBitsOfExtendedPortInfo) {
  SmpData data = bytes_at({{43, 0xFF}, {44, 0x3F}, {45, 0xFF}});
  set_fnm_port(data, {true, false});
  EXPECT_EQ(data, bytes_at({{43, 0xFF}, {44, 0xBF}, {45, 0xFF}}));
  EXPECT_EQ(decode_fnm_port(data), (FnmPort{true, false}));
  set_fnm_port(data, {false, true});
  EXPECT_EQ(data[44], std::byte{0x7F});
}

RC_GTEST_PROP(PlaneWire, RandomAttributesAreReadBackUnchanged, ()) {
  const SmpData data = any_bytes<kSmpDataSize>();
  const auto hierarchy = decode_hierarchy_info(data);
  RC_ASSERT(decode_hierarchy_info(encode(hierarchy)) == hierarchy);
  const auto node = decode_extended_node_info(data);
  RC_ASSERT(decode_extended_node_info(encode(node)) == node);
  const auto filter = decode_end_port_plane_filter(data);
  RC_ASSERT(decode_end_port_plane_filter(encode(filter)) == filter);
  const auto capabilities = decode_device_capabilities(data);
  RC_ASSERT(encode(decode_device_capabilities(encode(capabilities))) == encode(capabilities));
}

}  // namespace
}  // namespace weft
