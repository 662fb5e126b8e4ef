// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about the virtualization attributes that no source confirms. A correction for a real
// device changes this file only.
#pragma once

#include <cstdint>

namespace weft::vports_unconfirmed {

// Attribute modifiers. The headers state that they contain the vport index and the block, but not
// in which bits.

/// VPortInfo, VNodeInfo, VNodeDescription: the vport index.
constexpr std::uint32_t vport_modifier(std::uint16_t index) { return index; }
constexpr std::uint16_t vport_of_modifier(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier);
}
/// VPortState: the block of 128 vports.
constexpr std::uint32_t state_modifier(std::uint16_t block) { return block; }
constexpr std::uint16_t block_of_state_modifier(std::uint32_t modifier) {
  return static_cast<std::uint16_t>(modifier);
}
/// VPortGUIDInfo and the P_Key table: the block, and the vport index at the place of the port in
/// the modifier of P_KeyTable.
constexpr std::uint32_t table_modifier(std::uint16_t index, std::uint16_t block) {
  return static_cast<std::uint32_t>(index) << 16 | block;
}
struct TableModifier {
  std::uint16_t index = 0;
  std::uint16_t block = 0;
};
constexpr TableModifier read_table_modifier(std::uint32_t modifier) {
  return {static_cast<std::uint16_t>(modifier >> 16), static_cast<std::uint16_t>(modifier)};
}

// A Set of VirtualizationInfo with `state_change` clears the bit, as PortStateChange of SwitchInfo;
// a Set without `state_change` keeps the bit. If a device never clears the bit, each light sweep
// reads the states of its vports; there is no other effect.

// A Set of VPortInfo changes the state, ClientReregister and the LID; a state of 0 keeps the state.
// A vport changes from INIT to ACTIVE directly.

// The P_Key table of a CA port applies to the port and all its vports, and contains all their
// P_Keys. The table of a vport, index 0 included, limits that vport.

/// Traps 1257 and 1258: place of the vport index in the details, in bytes. The index is at the end:
/// between the GIDs of traps 257 and 258 and the trap number.
inline constexpr unsigned kVportOfBadKeyAt = 50;

/// Assumed number of entries of a vport's P_Key table if its VNodeInfo does not state it.
inline constexpr std::uint16_t kPartitionCap = 32;

}  // namespace weft::vports_unconfirmed
