// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/routers.h"

#include "ib/vendor/routers_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Info>
void layout_router(Op field, Info& info) {
  field(31, 1, info.pfrn_capable);
  field(8 * 4, 32, info.next_hop_cap);
  field(8 * 8, 32, info.next_hop_top);
  field(8 * 12, 16, info.changes);
  field(8 * 14, 8, info.adjacent_top);
  field(8 * 15, 8, info.adjacent_cap);
  field(8 * 16, routers_unconfirmed::kSubnetsBits, info.subnets);
  field(8 * 18, 16, info.ar_group_to_lid_cap);
  field(8 * 20 + 7, 1, info.pfrn_enabled);
  field(8 * 21, 8, info.adjacent_lids_top);
  field(8 * 22, 16, info.router_lid_cap);
  field(8 * 24, 12, info.ar_group_top);
  field(8 * 24 + 12, 20, info.global_lid_first);
  field(8 * 28 + 12, 20, info.global_lid_last);
  field(8 * 32 + 12, 20, info.local_lid_first);
  field(8 * 36 + 12, 20, info.local_lid_last);
}

template <class Op, class Block>
void layout_next_hops(Op field, Block& block) {
  for (unsigned i = 0; i < RouterNextHopBlock::kEntries; ++i) {
    field(128 * i, 64, block.entries[i].prefix);
    field(128 * i + 64, 8, block.entries[i].weight);
    field(128 * i + 80, 16, block.entries[i].pkey);
  }
}

template <class Op, class Block>
void layout_adjacent_subnets(Op field, Block& block) {
  for (unsigned i = 0; i < AdjacentSubnetBlock::kEntries; ++i) {
    field(64 * i, 16, block.entries[i].pkey);
    field(64 * i + 16, 16, block.entries[i].prefix);
    field(64 * i + 32 + 15 - routers_unconfirmed::kPfrnBit, 1, block.entries[i].pfrn);
    field(64 * i + 36, 12, block.entries[i].ar_group_top);
    field(64 * i + 48, 16, block.entries[i].sm_lid);
  }
}

template <class Op, class Block>
void layout_adjacent_lids(Op field, Block& block) {
  for (unsigned i = 0; i < AdjacentLidBlock::kEntries; ++i) {
    field(64 * i, 16, block.entries[i].prefix);
    field(64 * i + 16, 20, block.entries[i].first);
    field(64 * i + 44, 20, block.entries[i].last);
  }
}

template <class Op, class Block>
void layout_group_lids(Op field, Block& block) {
  for (unsigned i = 0; i < ArGroupToLidBlock::kGroups; ++i) field(16 * i, 16, block.lids[i]);
}

}  // namespace

SmpData encode(const RouterInfo& value) {
  SmpData data{};
  layout_router(wire::FieldWriter(data.data()), value);
  return data;
}

RouterInfo decode_router_info(std::span<const std::byte, kSmpDataSize> data) {
  RouterInfo value;
  layout_router(wire::FieldReader(data.data()), value);
  return value;
}

SmpData encode(const RouterNextHopBlock& value) {
  SmpData data{};
  layout_next_hops(wire::FieldWriter(data.data()), value);
  return data;
}

RouterNextHopBlock decode_router_next_hop_block(std::span<const std::byte, kSmpDataSize> data) {
  RouterNextHopBlock value;
  layout_next_hops(wire::FieldReader(data.data()), value);
  return value;
}

SmpData encode(const AdjacentSubnetBlock& value) {
  SmpData data{};
  layout_adjacent_subnets(wire::FieldWriter(data.data()), value);
  return data;
}

AdjacentSubnetBlock decode_adjacent_subnet_block(std::span<const std::byte, kSmpDataSize> data) {
  AdjacentSubnetBlock value;
  layout_adjacent_subnets(wire::FieldReader(data.data()), value);
  return value;
}

SmpData encode(const AdjacentLidBlock& value) {
  SmpData data{};
  layout_adjacent_lids(wire::FieldWriter(data.data()), value);
  return data;
}

AdjacentLidBlock decode_adjacent_lid_block(std::span<const std::byte, kSmpDataSize> data) {
  AdjacentLidBlock value;
  layout_adjacent_lids(wire::FieldReader(data.data()), value);
  return value;
}

SmpData encode(const RouterLidBlock& block) {
  SmpData data{};
  for (unsigned i = 0; i < RouterLidBlock::kLids; ++i)
    if (block.lids.test(i)) wire::write_bits(data.data(), routers_unconfirmed::bit_of_lid(i), 1, 1);
  return data;
}

RouterLidBlock decode_router_lid_block(std::span<const std::byte, kSmpDataSize> data) {
  RouterLidBlock block;
  for (unsigned i = 0; i < RouterLidBlock::kLids; ++i)
    if (wire::read_bits(data.data(), routers_unconfirmed::bit_of_lid(i), 1) != 0) block.lids.set(i);
  return block;
}

SmpData encode(const ArGroupToLidBlock& value) {
  SmpData data{};
  layout_group_lids(wire::FieldWriter(data.data()), value);
  return data;
}

ArGroupToLidBlock decode_ar_group_to_lid_block(std::span<const std::byte, kSmpDataSize> data) {
  ArGroupToLidBlock value;
  layout_group_lids(wire::FieldReader(data.data()), value);
  return value;
}

}  // namespace weft
