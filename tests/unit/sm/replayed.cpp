// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/sm/replayed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {

void Replay::write(const Op& op, std::uint64_t lids) {
  for (unsigned i = 0; i < kLftBlock; ++i) {
    const Lid lid(static_cast<std::uint16_t>(op.index * kLftBlock + i));
    if ((lids >> i & 1) == 0) continue;
    const PortNum port = wanted_.port(SwitchId(op.node), lid);
    if (now_.port(SwitchId(op.node), lid) == port) continue;
    now_.set(SwitchId(op.node), lid, port);
    if (loops(SwitchId(op.node), lid)) ++loops_;
  }
}

void Replay::play(const std::vector<Op>& ops, const TableRounds& rounds, Rng* rng) {
  std::vector<std::size_t> ends = rounds.ends;
  if (ends.empty()) ends.push_back(ops.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::vector<std::size_t> order;
    for (std::size_t i = begin; i < end; ++i) order.push_back(i);
    if (rng != nullptr) rng->shuffle(std::span(order));
    for (const std::size_t i : order) {
      const auto part = std::ranges::find(rounds.parts, i, &TablePart::op);
      write(ops[i], part == rounds.parts.end() ? ~std::uint64_t{0} : part->lids);
    }
    begin = end;
  }
  ASSERT_EQ(begin, ops.size());
}

bool Replay::loops(SwitchId start, Lid lid) const {
  SwitchId at = start;
  for (std::uint32_t steps = 0; steps <= fabric_.switch_count(); ++steps) {
    const ChannelId next = fabric_.channel_at(at, now_.port(at, lid));
    if (next == kNoChannel) return false;
    at = fabric_.channel(next).to;
    if (at == start) return true;
  }
  return false;  // the packet is in a loop that does not pass `start`
}

HeldTables held_tables_of(const Fabric& fabric, const Lfts& lfts) {
  HeldTables held;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (std::size_t b = 0; b < lfts.blocks(); ++b)
      held.at(fabric.node(SwitchId(s)).node_guid).remember(b, lfts.block(SwitchId(s), b));
  return held;
}

void record_trees(HeldTables& held, const Fabric& fabric, const Mfts& mfts) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Node& node = fabric.node(SwitchId(s));
    for (const MftIndex index : mft_blocks(mft_top(mfts), node, 0x1000))
      held.at(node.node_guid)
          .remember_multicast(index, desired_mft_block(mfts, SwitchId(s), index));
  }
}

std::vector<Op> differing_writes(const Fabric& fabric, const HeldTables& held, const Lfts& wanted) {
  std::vector<Op> ops;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const HeldTable* table = held.find(fabric.node(SwitchId(s)).node_guid);
    for (std::size_t b = 0; b < wanted.blocks(); ++b)
      if (table == nullptr || !table->holds(b, wanted.block(SwitchId(s), b)))
        ops.push_back({s, static_cast<std::uint16_t>(b)});
  }
  return ops;
}

}  // namespace weft
