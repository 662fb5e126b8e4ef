// What is assumed of the adaptive routing attributes and no second source confirms. Whoever has
// such a switch corrects a line here, and nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ib/adaptive.h"

namespace weft::ar_unconfirmed {

/// A block of the group table holds ArGroupBlock::kGroups groups: this is the block of a group.
constexpr std::uint16_t block_of_group(std::uint16_t group) {
  return static_cast<std::uint16_t>(group / ArGroupBlock::kGroups);
}
/// Where the bit of a port is within the 256 of its group, counted from the most significant.
constexpr unsigned bit_of_port(unsigned port) { return 255 - port; }

/// Attribute modifiers: group table 0 of private table 0, and private table 0.
constexpr std::uint32_t group_table_modifier(std::uint16_t block) { return block; }
constexpr std::uint16_t block_of_group_table(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFF);
}
constexpr std::uint32_t forwarding_table_modifier(std::uint16_t block) { return block; }
constexpr std::uint16_t block_of_forwarding_table(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFF);
}

// Notifications of faults. RNXmitPortMask and the sizes of all four tables are in a diagnostic
// tool's list of layouts only; modifiers and behaviour are in none.

/// Of the four bits of a port in RNXmitPortMask, the one that lets notifications of faults out.
inline constexpr std::uint8_t kXmitFaults = 2;
/// Attribute modifiers: the block, of private table 0. Without sub-groups group g is sub-group g.
constexpr std::uint32_t notification_modifier(std::uint16_t block) { return block; }
constexpr std::uint16_t block_of_notifications(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier & 0xFFFF);
}
/// AdaptiveRoutingInfo: how many strings there are, 0 included, of how many bits a string has.
constexpr std::uint32_t strings_of_width(std::uint8_t width) { return std::uint32_t{1} << width; }

// A switch tells of a LID that is in a group, of one port too, when its last live port is gone, and
// once. It tells the neighbours at all ports of the mask but those of the LID's own group. Who is
// told under a string to consume drops the port from the LID's group; who is told to pass on does
// so if its forwarding table sends the LID by the very port. A Set of AdaptiveRoutingInfo makes a
// switch forget what it was told, and look at its ports again: see emulator/notifications.h.

/// Switches of an older version have no ARLinearForwardingTableSX.
inline constexpr std::uint8_t kVersionMin = 1;

/// Devices that may know these attributes: others are not asked, since some answer nothing at all
/// to what they do not know. SwitchX, Switch-IB, Switch-IB 2, Quantum, Quantum-2, Quantum-3.
constexpr bool may_know(std::uint16_t device_id) {
  constexpr std::array<std::uint16_t, 8> kDevices{0xC738, 0xC739, 0xCB20, 0xCF08,
                                                  0xCF09, 0xD2F0, 0xD2F2, 0xD2F4};
  return std::ranges::find(kDevices, device_id) != kDevices.end();
}

}  // namespace weft::ar_unconfirmed
