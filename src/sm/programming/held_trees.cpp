// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/held_trees.h"

#include <algorithm>

namespace weft {
namespace {

constexpr unsigned kPositionPorts = 16;  // ports of one position
constexpr unsigned kBlockEntries = MulticastForwardingTable::kEntries;
constexpr std::uint16_t kLids = 0x4000;  // number of multicast LIDs

}  // namespace

Mfts held_trees(const HeldTables& held, const Fabric& fabric) {
  Mfts trees;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const HeldTable* table = held.find(fabric.node(SwitchId(s)).node_guid);
    if (table == nullptr) continue;
    for (const auto& [index, block] : table->all_multicast()) {
      const unsigned lid = kLidMulticastFirst.value() + mft_block_of(index) * kBlockEntries;
      const unsigned port = mft_position_of(index) * kPositionPorts;
      for (unsigned i = 0; i < kBlockEntries; ++i)
        for (unsigned p = 0; p < kPositionPorts; ++p)
          if ((block.port_masks[i] >> p & 1) != 0)
            trees[Lid(static_cast<std::uint16_t>(lid + i))][SwitchId(s)].set(port + p);
    }
  }
  return trees;
}

bool are_trees_known(const HeldTables& held, const Fabric& fabric) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Node& node = fabric.node(SwitchId(s));
    const HeldTable* table = held.find(node.node_guid);
    if (table == nullptr) continue;
    const auto blocks = mft_blocks(table->multicast_top(), node, kLids);
    if (std::ranges::any_of(blocks, [&](MftIndex i) { return table->multicast(i) == nullptr; }))
      return false;
  }
  return true;
}

}  // namespace weft
