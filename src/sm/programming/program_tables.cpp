// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/program_tables.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ib/modifiers.h"
#include "ib/switch_info.h"
#include "ib/tables.h"
#include "sm/discovery/directed.h"
#include "sm/programming/mft_blocks.h"

namespace weft {
namespace {

constexpr std::size_t kBlocksAhead = 16;  // writes between the prefetch of a block and its use

Guid switch_guid(const Programming& programming, const PlannedOp& planned) {
  return programming.desired.fabric.node(planned.node()).node_guid;
}

/// The entries of a block after this write. Until the write is answered, HeldTables has the
/// previous entries.
std::array<std::uint8_t, kLftBlock> planned_block(const Programming& programming,
                                                  const PlannedOp& planned) {
  const Op& op = planned.op;
  std::array<std::uint8_t, kLftBlock> block{};
  std::ranges::copy(programming.desired.routes.lfts.block(SwitchId(op.node), op.index),
                    block.begin());
  const auto& parts = programming.plan.table_rounds.parts;
  const auto part = std::ranges::lower_bound(parts, planned.at, {}, &TablePart::op);
  if (part == parts.end() || part->op != planned.at) return block;
  const HeldTable* table = programming.held.find(switch_guid(programming, planned));
  const bool known = table != nullptr && table->is_known(op.index);
  for (std::size_t i = 0; i < kLftBlock; ++i)
    if ((part->lids >> i & 1) == 0) block[i] = known ? table->block(op.index)[i] : kNoRoute.value();
  return block;
}

/// Prefetches a block. Successive writes go to different switches, so their blocks are at distant
/// addresses.
void prefetch_block(const Programming& programming, std::size_t at) {
  const auto& ops = programming.plan[Phase::kTables];
  if (at >= ops.size()) return;
  __builtin_prefetch(
      programming.desired.routes.lfts.block(SwitchId(ops[at].node), ops[at].index).data());
}

MulticastForwardingTable planned_multicast(const Programming& programming,
                                           const PlannedOp& planned) {
  const auto wanted = desired_mft_block(programming.desired.routes.mfts, SwitchId(planned.op.node),
                                        planned.op.index);
  if (planned.phase == Phase::kMulticast) return wanted;
  const HeldTable* table = programming.held.find(switch_guid(programming, planned));
  return intermediate_mft_block(table == nullptr ? nullptr : table->multicast(planned.op.index),
                                wanted);
}

GuidInfo planned_guids(const Programming& programming, const PlannedOp& planned) {
  const Guid guid = programming.desired.fabric.port(programming.port_id(planned)).guid;
  return guid_block(guid, programming.desired.aliases.at(guid), block_of(planned.op));
}

}  // namespace

void fill_pkeys(Programming& programming, const PlannedOp& planned, Smp& request) {
  const PortId id = programming.port_id(planned);
  const std::size_t block = block_of(planned.op);
  fill_directed_request(request, Method::kSet, AttributeId::kPkeyTable,
                        pkey_modifier(programming.desired.fabric, id, block),
                        programming.path(planned));
  request.data = encode(programming.desired.pkeys.block(id, block));
}

std::string confirm_pkeys(Programming& programming, const PlannedOp& planned, const Smp&) {
  const std::size_t block = block_of(planned.op);
  programming.held.pkeys().remember(
      programming.desired.fabric.node(planned.node()).node_guid, port_of(planned.op), block,
      programming.desired.pkeys.block(programming.port_id(planned), block));
  return {};
}

void fill_guids(Programming& programming, const PlannedOp& planned, Smp& request) {
  fill_directed_request(request, Method::kSet, AttributeId::kGuidInfo,
                        static_cast<std::uint32_t>(block_of(planned.op)),
                        programming.path(planned));
  request.data = encode(planned_guids(programming, planned));
}

std::string confirm_guids(Programming& programming, const PlannedOp& planned, const Smp&) {
  remember_guids(programming, planned);
  return {};
}

void remember_guids(Programming& programming, const PlannedOp& planned) {
  programming.held.aliases().remember(
      programming.desired.fabric.port(programming.port_id(planned)).guid, block_of(planned.op),
      planned_guids(programming, planned));
}

void fill_switch(Programming& programming, const PlannedOp& planned, Smp& request) {
  fill_directed_request(request, Method::kSet, AttributeId::kSwitchInfo, 0,
                        programming.observed.nodes[planned.op.node].path());
  request.data = encode(desired_switch(programming.observed, programming.desired,
                                       programming.options, SwitchId(planned.op.node)));
}

std::string confirm_switch(Programming& programming, const PlannedOp& planned, const Smp& answer) {
  const SwitchInfo info = *decode_switch_info(answer.data);
  programming.held.at(switch_guid(programming, planned)).set_top(info.linear_fdb_top);
  programming.observed.nodes[planned.op.node].switch_info = info;
  return {};
}

void fill_table(Programming& programming, const PlannedOp& planned, Smp& request) {
  fill_directed_request(request, Method::kSet, AttributeId::kLinearForwardingTable,
                        modifier::linear_forwarding_table(planned.op.index),
                        programming.observed.nodes[planned.op.node].path());
  const auto block = planned_block(programming, planned);
  std::memcpy(request.data.data(), block.data(), block.size());
  prefetch_block(programming, planned.at + kBlocksAhead);
}

std::string confirm_table(Programming& programming, const PlannedOp& planned, const Smp&) {
  const auto block = planned_block(programming, planned);
  programming.held.at(switch_guid(programming, planned)).remember(planned.op.index, block);
  return {};
}

void fill_multicast(Programming& programming, const PlannedOp& planned, Smp& request) {
  const MftIndex index = planned.op.index;
  fill_directed_request(
      request, Method::kSet, AttributeId::kMulticastForwardingTable,
      modifier::multicast_forwarding_table(mft_block_of(index), mft_position_of(index)),
      programming.observed.nodes[planned.op.node].path());
  request.data = encode(planned_multicast(programming, planned));
}

std::string confirm_multicast(Programming& programming, const PlannedOp& planned, const Smp&) {
  const auto block = planned_multicast(programming, planned);
  programming.held.at(switch_guid(programming, planned))
      .remember_multicast(planned.op.index, block);
  return {};
}

}  // namespace weft
