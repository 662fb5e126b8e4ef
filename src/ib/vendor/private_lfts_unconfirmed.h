// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assumptions about private linear forwarding tables (pLFTs) that no source confirms. This file has
// the assumed numbers and bit positions; a correction for a real switch changes them only here. The
// emulator implements the behavior in the last comment. adaptive_unconfirmed.h has the place of the
// pLFT in the attribute modifier of the AR forwarding table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::plft_unconfirmed {

/// PrivateLFTInfo: the mode in use is the number of a mode, counted from 1, because 0 disables
/// pLFTs.
constexpr std::uint8_t mode_number(std::size_t index) {
  return static_cast<std::uint8_t>(index + 1);
}

/// Byte 0 of a pLFT in PrivateLFTDef: the flag "force sub-group 0" in the highest bit, the bank in
/// the other bits. The headers state only that both are in this byte.
inline constexpr unsigned kForceSubGroupBits = 1;
inline constexpr unsigned kBankBits = 7;

/// Attribute modifiers. PrivateLFTDef: the block of 16 pLFTs. PrivateLFTMap: the pLFT and the block
/// of 256 ports. PortSLToPrivateLFTMap: the block of four ports, beginning with port 0.
constexpr std::uint32_t definition_modifier(std::uint8_t block) { return block; }
constexpr std::uint8_t block_of_definition(std::uint32_t modifier) {
  return static_cast<std::uint8_t>(modifier & 0xFF);
}
constexpr std::uint32_t map_modifier(std::uint8_t plft, std::uint8_t port_block) {
  return std::uint32_t{plft} << 16 | port_block;
}
constexpr std::uint8_t plft_of_map(std::uint32_t modifier) {
  return static_cast<std::uint8_t>(modifier >> 16 & 0xFF);
}
constexpr std::uint8_t port_block_of_map(std::uint32_t modifier) {
  return static_cast<std::uint8_t>(modifier & 0xFF);
}
constexpr std::uint32_t sl_map_modifier(std::uint8_t block) { return block; }
constexpr std::uint8_t block_of_sl_map(std::uint32_t modifier) {
  return static_cast<std::uint8_t>(modifier & 0xFF);
}

/// Position of a port's bit within the mask of PrivateLFTMap, counted from the most significant, as
/// in the group table.
constexpr unsigned bit_of_port(unsigned port) { return 255 - port; }

// A switch selects the pLFT of a packet by PortSLToPrivateLFTMap, for packets of its own port 0,
// too. After power-up all ports and SLs have pLFT 0. A Set of PrivateLFTMap with a mask of ports
// assigns the pLFT to all SLs of these ports. The AR forwarding tables of the pLFTs apply while a
// mode is in use and adaptive routing is enabled; otherwise the switch uses the AR forwarding table
// of pLFT 0, or its plain table. All pLFTs use one group table. A Set of the mode in use is refused
// if a pLFT does not fit in its bank, or if two pLFTs use the same memory. The other attributes can
// be set while no mode is in use, and keep their values when the mode changes.

}  // namespace weft::plft_unconfirmed
