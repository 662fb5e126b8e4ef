// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/planes.h"

#include <algorithm>

#include "base/check.h"
#include "ib/vendor/planes_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

namespace unconfirmed = planes_unconfirmed;

constexpr std::uint64_t kXdrTemplate = 4;  // template of switches and CAs
constexpr std::uint64_t kCaTemplate = 5;

// Selectors of both templates; only kXdrTemplate has the ASIC.
constexpr std::size_t kAsic = 6, kPlane = 10, kPlaneCount = 11, kAport = 12;

/// A selector of a template for a member of HardwarePlace.
struct HardwareSelector {
  std::uint64_t template_number = 0;
  std::size_t selector = 0;
  std::optional<std::uint32_t> HardwarePlace::*member = nullptr;
};
constexpr std::array kHardwareSelectors{HardwareSelector{3, 0, &HardwarePlace::split},
                                        HardwareSelector{3, 1, &HardwarePlace::port},
                                        HardwareSelector{3, 2, &HardwarePlace::cage},
                                        HardwareSelector{3, 3, &HardwarePlace::asic},
                                        HardwareSelector{3, 4, &HardwarePlace::slot},
                                        HardwareSelector{4, 2, &HardwarePlace::port},
                                        HardwareSelector{4, 3, &HardwarePlace::cage},
                                        HardwareSelector{4, 5, &HardwarePlace::split},
                                        HardwareSelector{4, 6, &HardwarePlace::asic},
                                        HardwareSelector{5, 2, &HardwarePlace::port},
                                        HardwareSelector{5, 3, &HardwarePlace::cage},
                                        HardwareSelector{5, 5, &HardwarePlace::split},
                                        HardwareSelector{5, 13, &HardwarePlace::device},
                                        HardwareSelector{5, 14, &HardwarePlace::board},
                                        HardwareSelector{5, 15, &HardwarePlace::system},
                                        HardwareSelector{6, 0, &HardwarePlace::device},
                                        HardwareSelector{6, 1, &HardwarePlace::board},
                                        HardwareSelector{6, 2, &HardwarePlace::system}};

/// Number of selectors of a template.
constexpr std::size_t selector_count(std::uint64_t template_number) {
  constexpr std::array<std::size_t, 4> kCounts{7, 13, 16, 3};  // of templates 3 to 6
  return template_number >= 3 && template_number <= 6 ? kCounts[template_number - 3] : 0;
}

constexpr unsigned kFnmAt = 44 * 8;  // bit offset in ExtendedPortInfo

template <class Op, class Info>
void layout_hierarchy(Op field, Info& info) {
  field(0, 64, info.template_guid);
  field(64, 8, info.index_supported);
  field(72, 8, info.index_active);
  field(80, 4, info.levels_active);
  for (unsigned i = 0; i < HierarchyInfo::kLevels; ++i) field(96 + 32 * i, 32, info.levels[i]);
}

template <class Op, class Info>
void layout_extended_node(Op field, Info& info) {
  field(0, 8, info.out_of_band_links);
  field(8, 8, info.pcie_links);
  field(16, 8, info.sl2vl_active);
  field(24, 8, info.sl2vl_cap);
  field(104, 8, info.anycast_lid_top);
  field(112, 8, info.anycast_lid_cap);
  field(120, 8, info.kind);
  field(128, 1, info.asymmetry_enabled);
  field(129, 1, info.link_auto_retrain);
  field(152, 8, info.planes_of_asic);
}

template <class Op, class Filter>
void layout_plane_filter(Op field, Filter& filter) {
  for (unsigned i = 0; i < kPlanesMax; ++i) field(64 + 32 * i + 12, 20, filter.lids[i]);
}

}  // namespace

SmpData encode(const HierarchyInfo& info) {
  SmpData data{};
  layout_hierarchy(wire::FieldWriter(data.data()), info);
  return data;
}

HierarchyInfo decode_hierarchy_info(std::span<const std::byte, kSmpDataSize> data) {
  HierarchyInfo info;
  layout_hierarchy(wire::FieldReader(data.data()), info);
  return info;
}

Result<std::optional<PlanePlace>> plane_place(const HierarchyInfo& info) {
  const std::uint64_t number = unconfirmed::template_number(info.template_guid);
  if (number != kXdrTemplate && number != kCaTemplate) return std::optional<PlanePlace>();
  if (info.levels_active <= unconfirmed::level_of_selector(kAport))
    return std::optional<PlanePlace>();
  const auto level = [&](std::size_t selector) {
    return info.levels[unconfirmed::level_of_selector(selector)];
  };
  const std::uint32_t plane = level(kPlane), planes = level(kPlaneCount);
  if (planes != 0 && planes != 2 && planes != kPlanesMax)
    return fail(Code::kBadField, "HierarchyInfo: {} planes, expected 0, 2 or 4", planes);
  if (plane > planes || (plane == 0 && planes != 0))
    return fail(Code::kBadField, "HierarchyInfo: plane {}, expected {}", plane,
                planes == 0 ? "0 without planes" : fmt::format("1 to {}", planes));
  return PlanePlace{level(kAport), number == kXdrTemplate ? level(kAsic) : 0,
                    static_cast<std::uint8_t>(plane), static_cast<std::uint8_t>(planes)};
}

HierarchyInfo hierarchy_of(const PlanePlace& place) {
  return hierarchy_blocks(kXdrTemplate, place, {.asic = place.asic}).front();
}

std::uint8_t last_hierarchy_block(const HierarchyInfo& first) {
  constexpr std::uint8_t kLast = HierarchyInfo::kBlocksMax - 1;
  return std::min({first.index_active, first.index_supported, kLast});
}

HardwarePlace hardware_place(std::span<const HierarchyInfo> blocks) {
  HardwarePlace place;
  if (blocks.empty()) return place;
  for (const auto& [number, selector, member] : kHardwareSelectors) {
    if (number != unconfirmed::template_number(blocks[0].template_guid)) continue;
    const std::size_t block = unconfirmed::block_of_selector(selector);
    const std::size_t level = unconfirmed::level_of_selector(selector);
    if (block < blocks.size() && blocks[block].template_guid == blocks[0].template_guid &&
        level < blocks[block].levels_active)
      place.*member = blocks[block].levels[level];
  }
  return place;
}

std::vector<HierarchyInfo> hierarchy_blocks(std::uint64_t template_number, const PlanePlace& place,
                                            const HardwarePlace& hardware) {
  const std::size_t count = selector_count(template_number);
  CHECK(count > 0);
  std::vector<HierarchyInfo> blocks(unconfirmed::block_of_selector(count - 1) + 1);
  for (HierarchyInfo& block : blocks) {
    block.template_guid = template_number;
    block.index_supported = block.index_active = static_cast<std::uint8_t>(blocks.size() - 1);
  }
  for (std::size_t selector = 0; selector < count; ++selector)
    blocks[unconfirmed::block_of_selector(selector)].levels_active =
        static_cast<std::uint8_t>(unconfirmed::level_of_selector(selector) + 1);
  const auto set = [&](std::size_t selector, std::uint32_t value) {
    blocks[unconfirmed::block_of_selector(selector)]
        .levels[unconfirmed::level_of_selector(selector)] = value;
  };
  for (const auto& [number, selector, member] : kHardwareSelectors)
    if (number == template_number && hardware.*member) set(selector, *(hardware.*member));
  if (template_number == kXdrTemplate || template_number == kCaTemplate) {
    set(kPlane, place.plane);
    set(kPlaneCount, place.planes);
    set(kAport, place.aport);
  }
  return blocks;
}

SmpData encode(const ExtendedNodeInfo& info) {
  SmpData data{};
  layout_extended_node(wire::FieldWriter(data.data()), info);
  return data;
}

ExtendedNodeInfo decode_extended_node_info(std::span<const std::byte, kSmpDataSize> data) {
  ExtendedNodeInfo info;
  layout_extended_node(wire::FieldReader(data.data()), info);
  return info;
}

SmpData encode(const EndPortPlaneFilter& filter) {
  SmpData data{};
  layout_plane_filter(wire::FieldWriter(data.data()), filter);
  return data;
}

EndPortPlaneFilter decode_end_port_plane_filter(std::span<const std::byte, kSmpDataSize> data) {
  EndPortPlaneFilter filter;
  layout_plane_filter(wire::FieldReader(data.data()), filter);
  return filter;
}

FnmPort decode_fnm_port(std::span<const std::byte, kSmpDataSize> extended_port_info) {
  return {wire::read_bits(extended_port_info.data(), kFnmAt, 1) != 0,
          wire::read_bits(extended_port_info.data(), kFnmAt + 1, 1) != 0};
}

void set_fnm_port(SmpData& extended_port_info, const FnmPort& port) {
  wire::write_bits(extended_port_info.data(), kFnmAt, 1, port.is_fnm ? 1 : 0);
  wire::write_bits(extended_port_info.data(), kFnmAt + 1, 1, port.is_mission_port ? 1 : 0);
}

}  // namespace weft
