// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PortInfo: state, addresses, link and management parameters of one port.
// Layout: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.6. The second set of
// extended speed fields (XDR) is in byte 56, which was reserved before release 1.7.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "ib/enums.h"
#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

struct PortInfo {
  Mkey mkey;
  std::uint64_t gid_prefix = 0;
  Lid lid;
  Lid master_sm_lid;
  std::uint32_t capability_mask = 0;  // bits of cap_mask
  std::uint16_t diag_code = 0;
  std::uint16_t mkey_lease_period_s = 0;  // 0: no expiry
  PortNum local_port;
  std::uint8_t link_width_enabled = 0;  // masks of LinkWidth; in a Set: 0 no change, 255 all
  std::uint8_t link_width_supported = 0;
  std::uint8_t link_width_active = 0;
  std::uint8_t link_speed_supported = 0;  // masks: 1 SDR, 2 DDR, 4 QDR
  PortState state = PortState::kNoChange;
  PhysState phys_state = PhysState::kNoChange;
  PhysState link_down_default = PhysState::kNoChange;  // kNoChange, kSleep or kPolling
  std::uint8_t mkey_protect = 0;                       // M_KeyProtectBits, 0..3
  std::uint8_t lmc = 0;
  std::uint8_t link_speed_active = 0;
  std::uint8_t link_speed_enabled = 0;  // in a Set: 0 no change, 15 all
  std::uint8_t neighbor_mtu = 0;        // values of Mtu; 0 on a port that is down
  std::uint8_t master_sm_sl = 0;
  std::uint8_t vl_cap = 0;  // data VLs: 1 is one, 2 two, 3 four, 4 eight, 5 fifteen
  std::uint8_t init_type = 0;
  std::uint8_t vl_high_limit = 0;
  std::uint8_t vl_arb_high_cap = 0;
  std::uint8_t vl_arb_low_cap = 0;
  std::uint8_t init_type_reply = 0;
  std::uint8_t mtu_cap = 0;  // values of Mtu
  std::uint8_t vl_stall_count = 0;
  std::uint8_t hoq_life = 0;
  std::uint8_t operational_vls = 0;  // code as in vl_cap; in a Set: 0 no change
  bool partition_enforcement_inbound = false;
  bool partition_enforcement_outbound = false;
  bool filter_raw_inbound = false;
  bool filter_raw_outbound = false;
  std::uint16_t mkey_violations = 0;
  std::uint16_t pkey_violations = 0;
  std::uint16_t qkey_violations = 0;
  std::uint8_t guid_cap = 0;
  bool client_reregister = false;
  std::uint8_t mcast_pkey_trap_suppression = 0;
  std::uint8_t subnet_timeout = 0;       // 4.096 us * 2^n
  std::uint8_t response_time_value = 0;  // 4.096 us * 2^n
  std::uint8_t local_phy_errors = 0;
  std::uint8_t overrun_errors = 0;
  std::uint16_t max_credit_hint = 0;
  std::uint8_t link_speed_ext2_active = 0;  // 1 XDR
  std::uint8_t link_speed_ext2_supported = 0;
  std::uint8_t link_speed_ext2_enabled = 0;
  std::uint32_t link_round_trip_latency = 0;  // 24 bits
  std::uint16_t capability_mask2 = 0;         // bits of cap_mask2
  std::uint8_t link_speed_ext_active = 0;     // 1 FDR, 2 EDR, 4 HDR, 8 NDR; 0: see
                                              // link_speed_active
  std::uint8_t link_speed_ext_supported = 0;
  std::uint8_t link_speed_ext_enabled = 0;  // in a Set: 0 no change, 31 all, 30 none
  bool operator==(const PortInfo&) const = default;
};

SmpData encode(const PortInfo& info);
/// Fails with kBadField on an undefined port state, physical state or LinkDownDefaultState, and on
/// MTU and VL codes above 5.
Result<PortInfo> decode_port_info(std::span<const std::byte, kSmpDataSize> data);

/// The value of each field that depends on the lane speed, for one speed or for a set of speeds.
struct SpeedBits {
  std::uint8_t basic = 0;  // of the LinkSpeed fields
  std::uint8_t ext = 0;    // of the LinkSpeedExt fields
  std::uint8_t ext2 = 0;   // of the second set of LinkSpeedExt fields
  bool operator==(const SpeedBits&) const = default;
};

/// The active fields of a link. Above QDR, the basic field has the value of QDR. FDR10 has the
/// fields of QDR: only a vendor-specific attribute distinguishes FDR10 from QDR.
SpeedBits active_speed_bits(LinkSpeed speed);
/// All speeds up to this one: the value of the supported and enabled fields of a port of that
/// speed.
SpeedBits speeds_up_to(LinkSpeed speed);
/// The fastest speed of a set, or of the active fields; none if no bit is defined. Never FDR10.
std::optional<LinkSpeed> fastest_speed(const SpeedBits& bits);
inline std::optional<LinkSpeed> active_speed(const PortInfo& info) {
  return fastest_speed(
      {info.link_speed_active, info.link_speed_ext_active, info.link_speed_ext2_active});
}

/// LinkWidthActive as a width; none unless exactly one bit is set, and this bit is defined.
std::optional<LinkWidth> active_width(const PortInfo& info);
/// The mask of all widths up to this one.
std::uint8_t widths_up_to(LinkWidth width);

/// The code in VLCap and OperationalVLs: 1..5 for 1, 2, 4, 8, 15 data VLs. Other counts round down;
/// 0 for 0 VLs, which have no code.
std::uint8_t vl_code(unsigned data_vls);
/// The number of data VLs of a code; 0 for an undefined code.
unsigned data_vls_of_code(std::uint8_t code);

/// Bits of PortInfo CapabilityMask.
namespace cap_mask {
inline constexpr std::uint32_t kIsSm = 1u << 1;
inline constexpr std::uint32_t kNotice = 1u << 2;
inline constexpr std::uint32_t kTrap = 1u << 3;
inline constexpr std::uint32_t kOptionalIpd = 1u << 4;
inline constexpr std::uint32_t kAutomaticMigration = 1u << 5;
inline constexpr std::uint32_t kSlMapping = 1u << 6;
inline constexpr std::uint32_t kMkeyNvram = 1u << 7;
inline constexpr std::uint32_t kPkeyNvram = 1u << 8;
inline constexpr std::uint32_t kLedInfo = 1u << 9;
inline constexpr std::uint32_t kSmDisabled = 1u << 10;
inline constexpr std::uint32_t kSystemImageGuid = 1u << 11;
inline constexpr std::uint32_t kPkeySwitchExternalPortTrap = 1u << 12;
inline constexpr std::uint32_t kExtendedSpeeds = 1u << 14;
inline constexpr std::uint32_t kCapabilityMask2 = 1u << 15;
inline constexpr std::uint32_t kCommunicationManagement = 1u << 16;
inline constexpr std::uint32_t kSnmpTunneling = 1u << 17;
inline constexpr std::uint32_t kReinit = 1u << 18;
inline constexpr std::uint32_t kDeviceManagement = 1u << 19;
inline constexpr std::uint32_t kVendorClass = 1u << 20;
inline constexpr std::uint32_t kDrNotice = 1u << 21;
inline constexpr std::uint32_t kCapabilityMaskNotice = 1u << 22;
inline constexpr std::uint32_t kBootManagement = 1u << 23;
inline constexpr std::uint32_t kLinkRoundTripLatency = 1u << 24;
inline constexpr std::uint32_t kClientReregistration = 1u << 25;
inline constexpr std::uint32_t kOtherLocalChangesNotice = 1u << 26;
inline constexpr std::uint32_t kLinkSpeedWidthPairsTable = 1u << 27;
inline constexpr std::uint32_t kVendorSpecificMadsTable = 1u << 28;
inline constexpr std::uint32_t kMcastPkeyTrapSuppression = 1u << 29;
inline constexpr std::uint32_t kMulticastFdbTop = 1u << 30;
inline constexpr std::uint32_t kHierarchyInfo = 1u << 31;
}  // namespace cap_mask

/// Bits of PortInfo CapabilityMask2.
namespace cap_mask2 {
inline constexpr std::uint16_t kSetNodeDescription = 1u << 0;
inline constexpr std::uint16_t kPortInfoExtended = 1u << 1;
inline constexpr std::uint16_t kVirtualization = 1u << 2;
inline constexpr std::uint16_t kSwitchPortStateTable = 1u << 3;
inline constexpr std::uint16_t kLinkWidth2x = 1u << 4;
inline constexpr std::uint16_t kLinkSpeedHdr = 1u << 5;
inline constexpr std::uint16_t kLinkSpeedNdr = 1u << 10;
inline constexpr std::uint16_t kExtendedSpeeds2 = 1u << 11;
inline constexpr std::uint16_t kLinkSpeedXdr = 1u << 12;
}  // namespace cap_mask2

}  // namespace weft
