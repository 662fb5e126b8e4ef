// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/mft_blocks.h"

#include <algorithm>

namespace weft {
namespace {

constexpr unsigned kPorts = 16;  // ports of one position
constexpr unsigned kEntries = MulticastForwardingTable::kEntries;
constexpr Lid kNoTop{0xBFFF};

}  // namespace

Lid mft_top(const Mfts& mfts) { return mfts.empty() ? kNoTop : mfts.rbegin()->first; }

std::vector<MftIndex> mft_blocks(Lid top, const Node& node, std::uint16_t cap) {
  std::vector<MftIndex> blocks;
  if (top < kLidMulticastFirst) return blocks;
  const unsigned last = (top.value() - kLidMulticastFirst.value()) / kEntries;
  const unsigned count = std::min(last + 1, (cap + kEntries - 1u) / kEntries);
  for (unsigned block = 0; block < count; ++block)
    for (unsigned position = 0; position <= node.port_count / kPorts; ++position)
      blocks.push_back(mft_index(block, position));
  return blocks;
}

MulticastForwardingTable desired_mft_block(const Mfts& mfts, SwitchId sw, MftIndex index) {
  MulticastForwardingTable table;
  const unsigned first = kLidMulticastFirst.value() + mft_block_of(index) * kEntries;
  const unsigned port = mft_position_of(index) * kPorts;
  for (auto group = mfts.lower_bound(Lid(static_cast<std::uint16_t>(first)));
       group != mfts.end() && group->first.value() < first + kEntries; ++group) {
    const auto mask = group->second.find(sw);
    if (mask == group->second.end()) continue;
    std::uint16_t& bits = table.port_masks[group->first.value() - first];
    for (unsigned p = 0; p < kPorts; ++p)
      if (mask->second[port + p]) bits = static_cast<std::uint16_t>(bits | 1u << p);
  }
  return table;
}

MulticastForwardingTable intermediate_mft_block(const MulticastForwardingTable* held,
                                                const MulticastForwardingTable& wanted) {
  MulticastForwardingTable cut;
  for (unsigned i = 0; held != nullptr && i < kEntries; ++i)
    cut.port_masks[i] = held->port_masks[i] & wanted.port_masks[i];
  return cut;
}

}  // namespace weft
