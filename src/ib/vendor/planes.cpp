// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/planes.h"

#include "ib/vendor/planes_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

namespace unconfirmed = planes_unconfirmed;

constexpr std::uint64_t kXdrTemplate = 4;  // template of switches and CAs
constexpr std::uint64_t kCaTemplate = 5;

// Selectors of both templates; only kXdrTemplate has the ASIC.
constexpr std::size_t kAsic = 6, kPlane = 10, kPlaneCount = 11, kAport = 12;

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
  HierarchyInfo info;
  info.template_guid = kXdrTemplate;
  info.levels_active = HierarchyInfo::kLevels;
  const auto level = [&](std::size_t selector) -> std::uint32_t& {
    return info.levels[unconfirmed::level_of_selector(selector)];
  };
  level(kAsic) = place.asic;
  level(kPlane) = place.plane;
  level(kPlaneCount) = place.planes;
  level(kAport) = place.aport;
  return info;
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
