// Multicast tables as switches hold them: blocks of 32 LIDs and 16 ports, and how to go from what a
// switch holds to what it should without a moment at which copies go round. First every port that
// is no longer wanted is taken away, on all switches; then those that are new are added. So what
// the switches hold together is always a part of the old trees or of the new.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "ib/tables.h"
#include "routes/multicast.h"

namespace weft {

/// A block by its number and the position of its ports, as an Op names it.
using MftIndex = std::uint16_t;
constexpr MftIndex mft_index(unsigned block, unsigned position) {
  return static_cast<MftIndex>(position << 12 | block);
}
constexpr std::uint16_t mft_block_of(MftIndex index) { return index & 0x1FF; }
constexpr std::uint8_t mft_position_of(MftIndex index) {
  return static_cast<std::uint8_t>(index >> 12);
}

/// The highest LID that has a table, or the one below all multicast LIDs where none has: what
/// MulticastFDBTop says.
Lid mft_top(const Mfts& mfts);

/// All blocks of a switch up to a multicast LID, as many as its MulticastFDBCap has. None where all
/// multicast LIDs are above that LID.
std::vector<MftIndex> mft_blocks(Lid top, const Node& node, std::uint16_t cap);

/// What a block should hold.
MulticastForwardingTable mft_wanted(const Mfts& mfts, SwitchId sw, MftIndex index);

/// What it holds on the way: the ports that it has and should have. An unknown block is emptied.
MulticastForwardingTable mft_cut(const MulticastForwardingTable* held,
                                 const MulticastForwardingTable& wanted);

}  // namespace weft
