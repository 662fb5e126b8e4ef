// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SwitchPortStateTable: the states of all ports of a switch in one or two SMPs. Port 0 announces
// the attribute by CapabilityMask2 (cap_mask2::kSwitchPortStateTable). Layout: headers of NVIDIA's
// OpenSM.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ib/enums.h"
#include "ib/ids.h"
#include "ib/port_info.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kSwitchPortStateTable{0x0034};  // modifier: port_states_modifier()

/// Whether a switch announces the attribute; `info` is that of its port 0.
inline bool has_port_state_table(const PortInfo& info) {
  return (info.capability_mask & cap_mask::kCapabilityMask2) != 0 &&
         (info.capability_mask2 & cap_mask2::kSwitchPortStateTable) != 0;
}

/// The states of consecutive ports, from port 0 or 128.
struct PortStateBlock {
  static constexpr std::size_t kPorts = 128;
  static constexpr std::uint8_t kBlocks = 2;
  std::array<PortState, kPorts> states{};  // 4 bits each; may hold undefined values
  bool operator==(const PortStateBlock&) const = default;
};
SmpData encode(const PortStateBlock& block);
PortStateBlock decode_port_state_block(std::span<const std::byte, kSmpDataSize> data);

/// Number of blocks for the ports 0 to `port_count`.
constexpr std::uint8_t port_state_blocks(std::uint8_t port_count) {
  return static_cast<std::uint8_t>(port_count / PortStateBlock::kPorts + 1);
}

/// Bit 0: the block; bit 15: the requester supports the state ActiveDefer (5).
constexpr std::uint32_t port_states_modifier(std::uint8_t block) { return 0x8000u | block; }
constexpr std::uint8_t block_of_port_states_modifier(std::uint32_t modifier) {
  return static_cast<std::uint8_t>(modifier & 1);
}

}  // namespace weft
