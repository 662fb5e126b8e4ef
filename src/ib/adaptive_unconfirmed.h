// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about the adaptive routing attributes that no source confirms. A correction for a
// real switch changes this file only.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ib/adaptive.h"
#include "ib/port_info.h"
#include "ib/vendor/ar_settings.h"

namespace weft::ar_unconfirmed {

/// Converts the number of a group in the routes to its number in a switch. Group 0 stays empty, as
/// with NVIDIA's OpenSM; its headers do not state the reason.
constexpr std::uint16_t group_number(std::uint16_t group) {
  return static_cast<std::uint16_t>(group + 1);
}
/// Number of groups that the routes can use in a switch with this capacity.
constexpr std::uint16_t usable_groups(std::uint16_t capacity) {
  return static_cast<std::uint16_t>(capacity - (capacity > 0 ? 1 : 0));
}

// Sub-groups. Group g with n sub-groups consists of the sub-groups g * n to g * n + n - 1 of the
// group table, and of RNSubGroupDirectionTable. Without weights, a switch selects among the ports
// of the first sub-group with a usable port. With weights, each sub-group with a usable port
// receives its share of the packets with HBF. ARGroupTableCopy is not used on switches with two
// sub-groups, because the headers do not state whether it copies both sub-groups.

/// Field of AdaptiveRoutingInfo: the number of active sub-groups minus 1.
constexpr std::uint8_t active_sub_groups(unsigned sub_groups) {
  return static_cast<std::uint8_t>(sub_groups - 1);
}
constexpr unsigned sub_groups_of(const AdaptiveRoutingInfo& info) {
  return info.sub_groups_active + 1u;
}
/// The number of blocks of the group table for groups up to `top`.
constexpr std::size_t group_blocks(std::uint16_t top, unsigned sub_groups) {
  return ((top + std::size_t{1}) * sub_groups - 1) / ArGroupBlock::kGroups + 1;
}
/// Sum of the weights of a group. Weights are relative; the headers state neither their sum nor the
/// unit of the granularity that a switch announces.
inline constexpr std::uint8_t kWeightSum = 64;
/// Attribute modifier of WHBFConfig: the block of 16 groups.
constexpr std::uint32_t weights_modifier(std::uint16_t block) { return block; }
constexpr std::uint16_t block_of_weights(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFF);
}
/// Position of a port's bit within the 256 bits of its group, counted from the most significant.
constexpr unsigned bit_of_port(unsigned port) { return 255 - port; }

/// Attribute modifier of ARGroupTable: the block of group table 0 of private LFT 0.
constexpr std::uint32_t group_table_modifier(std::uint16_t block) { return block; }
constexpr std::uint16_t block_of_group_table(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFF);
}
/// Attribute modifier of ARGroupTableCopy: the group to copy.
constexpr std::uint32_t group_copy_modifier(std::uint16_t source) { return source; }
constexpr std::uint16_t source_of_group_copy(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFF);
}
/// The lowest bits of the first and of the last group in the word of a range. By the names in the
/// headers the last group has the higher bits; their comments contradict this.
inline constexpr unsigned kFirstOfCopyBit = 0;
inline constexpr unsigned kLastOfCopyBit = 16;
/// Attribute modifier of the AR forwarding table: the block, and the private LFT (pLFT).
constexpr std::uint32_t forwarding_table_modifier(std::uint16_t block, std::uint8_t plft = 0) {
  return std::uint32_t{plft} << 16 | block;
}
constexpr std::uint16_t block_of_forwarding_table(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFFF);
}
constexpr std::uint8_t plft_of_forwarding_table(std::uint32_t modifier) {
  return static_cast<std::uint8_t>(modifier >> 16 & 0xFF);
}

// Fault notifications. The headers have the layouts, but neither modifiers nor behavior. They also
// do not state whether the high nibble in RNXmitPortMask is for the even port, as in other tables.

/// Attribute modifiers: the block of private LFT 0. With one sub-group, group g is sub-group g.
constexpr std::uint32_t notification_modifier(std::uint16_t block) { return block; }
constexpr std::uint16_t block_of_notifications(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFFF);
}
/// AdaptiveRoutingInfo: the number of strings, 0 included, for a string width in bits.
constexpr std::uint32_t strings_of_width(std::uint8_t width) { return std::uint32_t{1} << width; }

// A notification carries the number of a group, which is why NVIDIA's OpenSM gives a leaf the
// same number at all switches. A switch sends a notification for a group, even a group of one port,
// when the last usable port of the group goes down, through all ports of the mask except those of
// the group. A switch that receives a string with the decision "consume" removes the receiving port
// from its group of that number. With "pass on" the switch forwards the notification if a static
// entry with that group number has the receiving port. A Set of AdaptiveRoutingInfo clears the
// notifications that a switch has received, and the switch checks its ports again: see
// emulator/notifications.h.

/// Attribute modifier of a Get of AdaptiveRoutingInfo that requests the group capacity under the
/// settings in the request. The response has this value in the field of the current capacity. A
/// switch that ignores the modifier returns the current capacity, which is then used instead.
inline constexpr std::uint32_t kCapacityForSettings = 1;

/// Attribute modifier of HBFConfig for all ports of a switch at once. In the headers, a request
/// addresses a single port.
inline constexpr std::uint32_t kHbfOfAllPorts = 0x80000000;
/// The fields of HbfConfig::fields that a switch hashes, for
/// AdaptiveRoutingInfo::more_capabilities. The headers name the capabilities and the fields, but do
/// not state which fields belong to a capability. No capability is known for the other fields, so
/// these are always included.
constexpr std::uint64_t supported_hash_fields(std::uint8_t capabilities) {
  std::uint64_t fields = ~std::uint64_t{0};
  if ((capabilities & AdaptiveRoutingInfo::kDestinationQpHashCapable) == 0)
    fields &= ~HbfConfig::kDestinationQp;
  if ((capabilities & AdaptiveRoutingInfo::kDcethHashCapable) == 0)
    fields &= ~HbfConfig::kDcethFields;
  return fields;
}
// An entry with the state of hash-based forwarding selects by hash on all SLs, other entries on the
// SLs of AdaptiveRoutingInfo::hbf_sl_mask. Packets of excluded SLs and transports use the default
// port of the entry.

/// Attribute modifier of pFRNConfig: the headers define none.
inline constexpr std::uint32_t kPfrnOfSwitch = 0;

/// Devices to which GeneralInfo, which announces adaptive routing, is sent: SwitchX, Switch-IB,
/// Switch-IB 2, Quantum, Quantum-2, Quantum-3. Other devices get no requests, since some do not
/// respond to unsupported attributes at all. NVIDIA's OpenSM has such a list too, but its headers
/// do not contain the list.
constexpr bool may_support_general_info(std::uint16_t device_id) {
  constexpr std::array<std::uint16_t, 8> kDevices{0xC738, 0xC739, 0xCB20, 0xCF08,
                                                  0xCF09, 0xD2F0, 0xD2F2, 0xD2F4};
  return std::ranges::find(kDevices, device_id) != kDevices.end();
}

/// Bits of CapabilityMask of port 0 that all switches with adaptive routing have. Switches without
/// these bits are queried only if adaptive routing is configured. Switches of ibsim report the
/// device ids of the net file, but do not have these bits.
inline constexpr std::uint32_t kCapabilitiesWithAdaptive = cap_mask::kSystemImageGuid;

}  // namespace weft::ar_unconfirmed
