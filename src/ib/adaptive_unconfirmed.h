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
