// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Planarized devices: a port of the system (APort) aggregates 2 or 4 ports in different planes.
// HierarchyInfo states the plane of a port; PortInfo announces HierarchyInfo
// (cap_mask::kHierarchyInfo), and GeneralInfo announces the other attributes. Layout: headers of
// NVIDIA's OpenSM; planes_unconfirmed.h has the assumptions where the headers state nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"
#include "ib/port_info.h"
#include "ib/smp.h"
#include "ib/vendor/device_capabilities.h"

namespace weft {

inline constexpr AttributeId kHierarchyInfo{0x001E};       // modifier: hierarchy_modifier()
inline constexpr AttributeId kEndPortPlaneFilter{0xFF54};  // attribute of CAs
inline constexpr AttributeId kExtendedNodeInfo{0xFF91};
/// All attributes that this header declares.
inline constexpr std::array kPlaneAttributes{kHierarchyInfo, kEndPortPlaneFilter,
                                             kExtendedNodeInfo};

inline constexpr unsigned kPlanesMax = 4;

/// True if the port supports HierarchyInfo.
inline bool has_hierarchy(const PortInfo& info) {
  return (info.capability_mask & cap_mask::kHierarchyInfo) != 0;
}

/// One block of the levels of a port. A template defines the meaning of the levels.
struct HierarchyInfo {
  static constexpr std::size_t kLevels = 13;
  static constexpr std::uint8_t kBlocksMax = 4;  // that are read; the known selectors need two
  std::uint64_t template_guid = 0;
  std::uint8_t index_supported = 0;  // number of the highest block
  std::uint8_t index_active = 0;     // number of the highest block in use
  std::uint8_t levels_active = 0;    // 4 bits
  std::array<std::uint32_t, kLevels> levels{};
  bool operator==(const HierarchyInfo&) const = default;
};
SmpData encode(const HierarchyInfo& info);
HierarchyInfo decode_hierarchy_info(std::span<const std::byte, kSmpDataSize> data);
/// `port`: port of a switch; 0 on CAs, which return the levels of the port that receives the
/// request.
constexpr std::uint32_t hierarchy_modifier(std::uint8_t block, PortNum port) {
  return static_cast<std::uint32_t>(block) << 8 | port.value();
}

/// Position of a port in its system.
struct PlanePlace {
  std::uint32_t aport = 0;  // unique within a switch system or an adapter
  std::uint32_t asic = 0;   // number in the system; 0 if unknown
  std::uint8_t plane = 0;   // from 1; 0: not planarized
  std::uint8_t planes = 0;  // number of planes of the APort: 2 or 4; 0: not planarized
  bool operator==(const PlanePlace&) const = default;
};
/// The position that the levels state; none if the template has no planes, or too few levels are
/// present. Fails with kBadField if the number of planes is not 0, 2 or 4, or if an APort with this
/// number of planes cannot have the plane.
Result<std::optional<PlanePlace>> plane_place(const HierarchyInfo& info);
/// HierarchyInfo as a planarized switch or CA returns it.
HierarchyInfo hierarchy_of(const PlanePlace& place);

/// Position of a port in the hardware. Empty: the template does not have the value, or no block
/// contains it.
struct HardwarePlace {
  std::optional<std::uint32_t> slot{}, asic{}, cage{}, port{}, split{};
  std::optional<std::uint32_t> device{}, board{}, system{};
  bool operator==(const HardwarePlace&) const = default;
};
/// Number of the last block of a port to read, from its block 0.
std::uint8_t last_hierarchy_block(const HierarchyInfo& first);
/// The position that the blocks of a port state, block 0 first. Blocks of another template than
/// that of block 0 are ignored.
HardwarePlace hardware_place(std::span<const HierarchyInfo> blocks);
/// The blocks that a device of template 3, 4, 5 or 6 returns.
std::vector<HierarchyInfo> hierarchy_blocks(std::uint64_t template_number, const PlanePlace& place,
                                            const HardwarePlace& hardware);

/// Attribute of nodes that GeneralInfo announces with bit 13.
struct ExtendedNodeInfo {
  static constexpr std::uint8_t kGpu = 1, kMultiplaneCa = 2;  // kinds of nodes
  std::uint8_t out_of_band_links = 0;
  std::uint8_t pcie_links = 0;
  std::uint8_t sl2vl_active = 0;
  std::uint8_t sl2vl_cap = 0;
  std::uint8_t anycast_lid_top = 0;
  std::uint8_t anycast_lid_cap = 0;
  std::uint8_t kind = 0;
  bool asymmetry_enabled = false;  // APorts may lack planes
  bool link_auto_retrain = false;
  std::uint8_t planes_of_asic = 0;  // largest number of planes
  bool operator==(const ExtendedNodeInfo&) const = default;
};
SmpData encode(const ExtendedNodeInfo& info);
ExtendedNodeInfo decode_extended_node_info(std::span<const std::byte, kSmpDataSize> data);

/// Attribute of planarized CAs that GeneralInfo announces with bit 64: a LID for each plane.
struct EndPortPlaneFilter {
  std::array<std::uint32_t, kPlanesMax> lids{};  // 20 bits each
  bool operator==(const EndPortPlaneFilter&) const = default;
};
SmpData encode(const EndPortPlaneFilter& filter);
EndPortPlaneFilter decode_end_port_plane_filter(std::span<const std::byte, kSmpDataSize> data);

/// The fields of ExtendedPortInfo about fabric-management (FNM) ports. Two such ports of each ASIC
/// connect the ASICs of a system in a ring.
struct FnmPort {
  bool is_fnm = false;
  bool is_mission_port = false;  // a data port that is used as FNM port
  /// Whether the link of the port is for fabric management, and not for data.
  bool carries_management() const { return is_fnm || is_mission_port; }
  bool operator==(const FnmPort&) const = default;
};
FnmPort decode_fnm_port(std::span<const std::byte, kSmpDataSize> extended_port_info);
/// Writes the fields of FnmPort into an ExtendedPortInfo.
void set_fnm_port(SmpData& extended_port_info, const FnmPort& port);

}  // namespace weft
