// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Vendor-specific attributes of adaptive routing (AR): the AR capability of a switch, AR groups
// (sets of ports) and copies of groups, forwarding entries that refer to a group, and routing
// notifications. Layout: headers of NVIDIA's OpenSM (docs/explanation/adaptive-routing.md);
// adaptive_unconfirmed.h has the assumptions where the headers state nothing.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/rn_string.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kAdaptiveRoutingInfo{0xFF20};
inline constexpr AttributeId kArGroupTable{0xFF21};
inline constexpr AttributeId kArForwardingTable{0xFF23};  // ARLinearForwardingTableSX
inline constexpr AttributeId kHbfConfig{0xFF24};          // vendor/ar_settings.h
inline constexpr AttributeId kWhbfConfig{0xFF25};         // vendor/ar_settings.h
inline constexpr AttributeId kPfrnConfig{0xFF61};         // vendor/ar_settings.h
inline constexpr AttributeId kRnGenStringTable{0xFFB8};
inline constexpr AttributeId kRnRcvString{0xFFB9};
inline constexpr AttributeId kRnSubGroupDirectionTable{0xFFBA};
inline constexpr AttributeId kRnXmitPortMask{0xFFBC};
inline constexpr AttributeId kArGroupTableCopy{0xFFBD};
inline constexpr AttributeId kRnGenBySubGroupPriority{0xFFBE};  // neither read nor written
/// All attributes of adaptive routing that are sent, also those of vendor/ar_settings.h.
inline constexpr std::array kAdaptiveAttributes{
    kAdaptiveRoutingInfo, kArGroupTable,     kArForwardingTable,
    kRnGenStringTable,    kRnRcvString,      kRnSubGroupDirectionTable,
    kRnXmitPortMask,      kArGroupTableCopy, kHbfConfig,
    kPfrnConfig,          kWhbfConfig};

/// AR capabilities and settings of a switch, 28 bytes. A Set replaces all settings, so it must
/// contain the value read of each setting that is not to change.
struct AdaptiveRoutingInfo {
  bool enabled = false;
  bool arn_capable = false;  // notifications of load between switches
  bool frn_capable = false;
  bool fallback_capable = false;
  bool fallback_enabled = false;
  bool rn_transmission = false;
  std::uint8_t sub_groups_active = 0;  // 4 bits; 0: a group is one set of ports
  std::uint8_t group_copy = 0;         // 4 bits; 0: no ARGroupTableCopy
  std::uint8_t directions = 0;         // number of directions supported
  bool no_fallback =
      false;  // on a write to the plain forwarding table: 0 ends AR, 1 returns an error
  bool older_chip_compatible = false;
  bool global_groups = false;
  bool by_sl_capable = false;
  bool by_sl_enabled = false;
  bool by_transport_capable = false;
  bool computes_capacity = false;    // a Get returns the capacity for the settings in the Get
  std::uint16_t group_capacity = 0;  // 12 bits; AR-capable switches have at least 2
  std::uint16_t group_top = 0;       // 12 bits: the highest group in use
  std::uint8_t group_tables = 0;     // 4 bits
  std::uint8_t string_width = 0;     // 4 bits
  std::uint8_t version = 0;          // 4 bits, of AR
  std::uint8_t rn_version = 0;       // 4 bits
  std::uint8_t sub_groups = 0;       // number of sub-groups supported
  std::uint16_t sl_mask = 0;
  std::uint8_t transports_excluded = 0;
  std::uint32_t ageing_time_us = 0;    // a burst ends after this long without packets
  std::uint8_t more_capabilities = 0;  // byte 20: kPfrnCapable to kHbfCapable
  std::uint8_t more_enabled = 0;       // byte 22: kPfrnEnabled to kHbfBySlEnabled
  std::uint8_t whbf_granularity = 0;   // 3 bits; granularity of weights
  std::uint16_t hbf_sl_mask = 0;       // SLs with hash-based forwarding (HBF)

  static constexpr std::uint8_t kPfrnCapable = 1u << 1;
  static constexpr std::uint8_t kDestinationQpHashCapable = 1u << 3;  // HBF hashes BTH fields
  static constexpr std::uint8_t kDcethHashCapable = 1u << 4;          // HBF hashes DCETH fields
  static constexpr std::uint8_t kWhbfCapable = 1u << 6;               // weighted HBF
  static constexpr std::uint8_t kHbfCapable = 1u << 7;
  static constexpr std::uint8_t kPfrnEnabled = 1u << 4;
  static constexpr std::uint8_t kWhbfEnabled = 1u << 6;
  static constexpr std::uint8_t kHbfBySlEnabled = 1u << 7;
  bool operator==(const AdaptiveRoutingInfo&) const = default;
};
SmpData encode(const AdaptiveRoutingInfo& info);
/// Like the other encode(), but the bits that belong to no field are those of `read`, so that a Set
/// does not change settings without a known meaning.
SmpData encode(const AdaptiveRoutingInfo& info, const SmpData& read);
AdaptiveRoutingInfo decode_adaptive_routing_info(std::span<const std::byte, kSmpDataSize> data);

/// Consecutive sub-groups; with one sub-group per group, each sub-group is a group. Bit p of each
/// sub-group is port p.
struct ArGroupBlock {
  static constexpr std::size_t kGroups = 2;
  std::array<std::bitset<256>, kGroups> groups{};
  bool operator==(const ArGroupBlock&) const = default;
};
SmpData encode(const ArGroupBlock& block);
ArGroupBlock decode_ar_group_block(std::span<const std::byte, kSmpDataSize> data);

/// Ranges of groups that become copies of the group that the attribute modifier gives.
struct ArGroupCopyBlock {
  static constexpr std::size_t kRanges = 16;
  struct Range {
    std::uint16_t first = 0;  // 12 bits
    std::uint16_t last = 0;   // 12 bits
    bool operator==(const Range&) const = default;
  };
  std::array<Range, kRanges> ranges{};
  bool operator==(const ArGroupCopyBlock&) const = default;
};
SmpData encode(const ArGroupCopyBlock& block);
ArGroupCopyBlock decode_ar_group_copy_block(std::span<const std::byte, kSmpDataSize> data);

/// One LID's entry of the AR forwarding table.
struct ArLftEntry {
  std::uint8_t state = 2;     // 2 bits: 0 bounded, 1 free, 2 static, 3 hash-based forwarding
  std::uint8_t table = 0;     // 4 bits: number of the group table
  PortNum default_port{255};  // the port of static routing
  std::uint16_t group = 0;    // 12 bits
  bool operator==(const ArLftEntry&) const = default;
};
struct ArLftBlock {
  static constexpr std::size_t kEntries = 16;
  std::array<ArLftEntry, kEntries> entries{};
  bool operator==(const ArLftBlock&) const = default;
};
SmpData encode(const ArLftBlock& block);
ArLftBlock decode_ar_lft_block(std::span<const std::byte, kSmpDataSize> data);

// Routing notifications (see rn_string.h).

/// The direction of each sub-group; kRnNoDirection: no notifications are sent for LIDs with the
/// sub-group.
struct RnDirectionBlock {
  static constexpr std::size_t kSubGroups = 64;
  std::array<std::uint8_t, kSubGroups> directions{};
  bool operator==(const RnDirectionBlock&) const = default;
};
SmpData encode(const RnDirectionBlock& block);
RnDirectionBlock decode_rn_direction_block(std::span<const std::byte, kSmpDataSize> data);

/// By direction: the string that its notifications carry; 0: none.
struct RnGenStringBlock {
  static constexpr std::size_t kDirections = 32;
  std::array<std::uint16_t, kDirections> strings{};
  bool operator==(const RnGenStringBlock&) const = default;
};
SmpData encode(const RnGenStringBlock& block);
RnGenStringBlock decode_rn_gen_string_block(std::span<const std::byte, kSmpDataSize> data);

/// By received string: the decision of the switch.
struct RnRcvStringBlock {
  static constexpr std::size_t kStrings = 16;
  std::array<RnRcvString, kStrings> strings{};
  bool operator==(const RnRcvStringBlock&) const = default;
};
SmpData encode(const RnRcvStringBlock& block);
RnRcvStringBlock decode_rn_rcv_string_block(std::span<const std::byte, kSmpDataSize> data);

/// The ports through which a switch sends fault notifications: `faults` for notifications of its
/// own faults, `passed_on` for notifications that it received and forwards.
struct RnXmitPortBlock {
  static constexpr std::size_t kPorts = 128;
  std::bitset<kPorts> faults{};
  std::bitset<kPorts> passed_on{};
  bool operator==(const RnXmitPortBlock&) const = default;
};
SmpData encode(const RnXmitPortBlock& block);
RnXmitPortBlock decode_rn_xmit_port_block(std::span<const std::byte, kSmpDataSize> data);

/// By priority of a sub-group: whether a switch generates notifications of load (ARN) and of faults
/// (FRN).
struct RnPriorityBlock {
  static constexpr std::size_t kPriorities = 16;
  std::bitset<kPriorities> load{};
  std::bitset<kPriorities> faults{};
  bool operator==(const RnPriorityBlock&) const = default;
};
SmpData encode(const RnPriorityBlock& block);
RnPriorityBlock decode_rn_priority_block(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
