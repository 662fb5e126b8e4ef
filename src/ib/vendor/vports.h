// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtualization (SR-IOV): vendor-specific SMP attributes of a CA port with virtual ports (vports).
// A vport has an index, a GUID, P_Keys and a state, and is a port of a virtual node (vnode). Index
// 0 is the physical function. A port announces the attributes by CapabilityMask2
// (cap_mask2::kVirtualization). Layout: headers of NVIDIA's OpenSM; vports_unconfirmed.h has the
// assumptions where the headers state nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "ib/enums.h"
#include "ib/ids.h"
#include "ib/notice.h"
#include "ib/port_info.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kVirtualizationInfo{0xFFB0};
inline constexpr AttributeId kVportInfo{0xFFB1};
inline constexpr AttributeId kVnodeInfo{0xFFB2};
inline constexpr AttributeId kVportState{0xFFB3};
inline constexpr AttributeId kVnodeDescription{0xFFB4};  // content as NodeDescription
inline constexpr AttributeId kVportGuidInfo{0xFFB5};     // blocks as GUIDInfo
inline constexpr AttributeId kVportPkeyTable{0xFFB6};    // blocks as P_KeyTable
inline constexpr std::array kVirtualizationAttributes{
    kVirtualizationInfo, kVportInfo,     kVnodeInfo,     kVportState,
    kVnodeDescription,   kVportGuidInfo, kVportPkeyTable};

/// True if the port supports the attributes.
inline bool has_virtualization(const PortInfo& info) {
  return (info.capability_mask & cap_mask::kCapabilityMask2) != 0 &&
         (info.capability_mask2 & cap_mask2::kVirtualization) != 0;
}

/// Virtualization of a CA port.
struct VirtualizationInfo {
  static constexpr std::uint8_t kRevision = 0;  // the only supported revision
  std::uint16_t vport_cap = 0;                  // number of vports supported
  std::uint16_t vport_top = 0;                  // highest index in use
  bool enabled = false;
  bool client_reregister = false;  // VClientReregister
  bool state_change = false;       // the state of a vport has changed
  std::uint8_t revision = kRevision;
  std::uint8_t capability_mask = 0;
  bool operator==(const VirtualizationInfo&) const = default;
};
SmpData encode(const VirtualizationInfo& info);
VirtualizationInfo decode_virtualization_info(std::span<const std::byte, kSmpDataSize> data);

/// State and identifiers of a vport. The state ARMED is not used.
struct VportInfo {
  PortState state = PortState::kNoChange;  // 4 bits; may hold undefined values
  bool client_reregister = false;
  bool lid_required = false;         // the vport requires a LID of its own
  std::uint8_t guid_cap_blocks = 0;  // number of blocks of VPortGUIDInfo
  std::uint16_t capability_mask = 0;
  std::uint16_t pkey_violations = 0;
  std::uint16_t qkey_violations = 0;
  Lid lid;                               // the vport's own LID; 0: none
  std::uint16_t lid_by_vport_index = 0;  // index of the vport with the LID, if `lid` is 0
  Guid port_guid;
  std::uint64_t profile = 0;
  bool operator==(const VportInfo&) const = default;
};
SmpData encode(const VportInfo& info);
VportInfo decode_vport_info(std::span<const std::byte, kSmpDataSize> data);

struct VnodeInfo {
  std::uint16_t partition_cap = 0;  // entries of the P_Key table of each of its vports
  PortNum local_port;
  std::uint8_t port_count = 0;
  Guid node_guid;
  bool operator==(const VnodeInfo&) const = default;
};
SmpData encode(const VnodeInfo& info);
VnodeInfo decode_vnode_info(std::span<const std::byte, kSmpDataSize> data);

/// The states of consecutive vports.
struct VportStateBlock {
  static constexpr std::size_t kVports = 128;
  std::array<PortState, kVports> states{};  // 4 bits each; may hold undefined values
  bool operator==(const VportStateBlock&) const = default;
};
SmpData encode(const VportStateBlock& block);
VportStateBlock decode_vport_state_block(std::span<const std::byte, kSmpDataSize> data);

/// True in INIT and ACTIVE, the states of a vport that a virtual machine uses.
constexpr bool is_vport_up(PortState state) {
  return state == PortState::kInit || state == PortState::kActive;
}

/// Numbers of the vendor-specific traps about vports. In their notices Notice::generic is false,
/// and the number is in the last two bytes of the details.
enum class VportTrap : std::uint16_t {
  kVportChange = 1144,
  kVportStateChange = 1146,
  kBadPkey = 1257,
  kBadQkey = 1258
};
/// The number of any vendor-specific trap; nullopt for a generic trap.
std::optional<std::uint16_t> vendor_trap_number(const Notice& notice);

/// Details of trap 1144.
struct TrapVportChange {
  static constexpr std::uint16_t kNodeDescription = 0x0001;  // bits of change_flags
  static constexpr std::uint16_t kSmPriority = 0x0008;
  static constexpr std::uint16_t kHierarchy = 0x0010;
  Lid lid;
  bool other_local_changes = false;
  std::uint16_t capability_mask = 0;
  std::uint16_t change_flags = 0;
  std::uint16_t vport_index = 0;
  bool operator==(const TrapVportChange&) const = default;
};
/// Details of trap 1146: the port with the vport.
struct TrapVportState {
  Lid lid;
  bool operator==(const TrapVportState&) const = default;
};
/// Details of traps 1257 and 1258: those of traps 257 and 258, and the vport.
struct TrapVportBadKey {
  TrapBadKey bad_key;
  std::uint16_t vport_index = 0;
  bool operator==(const TrapVportBadKey&) const = default;
};
NoticeDetails encode(const TrapVportChange& trap);
NoticeDetails encode(const TrapVportState& trap);
TrapVportChange decode_trap_vport_change(const NoticeDetails& details);
TrapVportState decode_trap_vport_state(const NoticeDetails& details);
/// `number`: kBadPkey or kBadQkey.
NoticeDetails encode(const TrapVportBadKey& trap, VportTrap number);
TrapVportBadKey decode_trap_vport_bad_key(const NoticeDetails& details);

}  // namespace weft
