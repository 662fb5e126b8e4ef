// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Blocks of multicast forwarding tables (32 LIDs by 16 ports), and their loop-free update: first
// every obsolete port is removed on all switches, then new ports are added. So the tables of all
// switches together are always a subset of the old or of the new trees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "ib/tables.h"
#include "routes/multicast.h"

namespace weft {

/// A block number and a port-mask position, as in Op::index.
using MftIndex = std::uint16_t;
constexpr MftIndex mft_index(unsigned block, unsigned position) {
  return static_cast<MftIndex>(position << 12 | block);
}
constexpr std::uint16_t mft_block_of(MftIndex index) { return index & 0x1FF; }
constexpr std::uint8_t mft_position_of(MftIndex index) {
  return static_cast<std::uint8_t>(index >> 12);
}

/// MulticastFDBTop: the highest LID with a table; if no LID has a table, the LID below all
/// multicast LIDs.
Lid mft_top(const Mfts& mfts);

/// All blocks of a switch up to a multicast LID, limited by its MulticastFDBCap. Empty if `top` is
/// below all multicast LIDs.
std::vector<MftIndex> mft_blocks(Lid top, const Node& node, std::uint16_t cap);

/// The desired content of a block.
MulticastForwardingTable desired_mft_block(const Mfts& mfts, SwitchId sw, MftIndex index);

/// The intermediate content of a block: the ports that are in both the current and the desired
/// block. Empty if the current content is unknown.
MulticastForwardingTable intermediate_mft_block(const MulticastForwardingTable* held,
                                                const MulticastForwardingTable& wanted);

}  // namespace weft
