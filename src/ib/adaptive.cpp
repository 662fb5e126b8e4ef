// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/adaptive.h"

#include "ib/adaptive_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

/// The offset of a field of `width` bits, in bits from the most significant bit of word 0. `bit`:
/// the lowest bit of the field in its 32-bit word, counted from the least significant bit.
constexpr unsigned at(unsigned word, unsigned bit, unsigned width) {
  return 32 * word + 32 - bit - width;
}

template <class Op, class Info>
void layout_info(Op field, Info& info) {
  field(at(0, 0, 1), 1, info.enabled);
  field(at(0, 1, 1), 1, info.arn_capable);
  field(at(0, 2, 1), 1, info.frn_capable);
  field(at(0, 3, 1), 1, info.fallback_capable);
  field(at(0, 4, 1), 1, info.fallback_enabled);
  field(at(0, 5, 1), 1, info.rn_transmission);
  field(at(0, 8, 4), 4, info.sub_groups_active);
  field(at(0, 12, 4), 4, info.group_copy);
  field(at(0, 16, 8), 8, info.directions);
  field(at(0, 24, 1), 1, info.no_fallback);
  field(at(0, 25, 1), 1, info.older_chip_compatible);
  field(at(0, 26, 1), 1, info.global_groups);
  field(at(0, 27, 1), 1, info.by_sl_capable);
  field(at(0, 28, 1), 1, info.by_sl_enabled);
  field(at(0, 29, 1), 1, info.by_transport_capable);
  field(at(0, 30, 1), 1, info.computes_capacity);
  field(at(1, 0, 12), 12, info.group_capacity);
  field(at(1, 12, 12), 12, info.group_top);
  field(at(1, 24, 4), 4, info.group_tables);
  field(at(1, 28, 4), 4, info.string_width);
  field(at(2, 0, 4), 4, info.version);
  field(at(2, 4, 4), 4, info.rn_version);
  field(at(2, 8, 8), 8, info.sub_groups);
  field(at(2, 16, 16), 16, info.sl_mask);
  field(at(3, 0, 8), 8, info.transports_excluded);
  field(at(4, 0, 32), 32, info.ageing_time_us);
  field(8 * 20, 8, info.more_capabilities);
  field(8 * 22, 8, info.more_enabled);
  field(8 * 24, 3, info.whbf_granularity);
  field(8 * 26, 16, info.hbf_sl_mask);
}

template <class Op, class Block>
void layout_lft(Op field, Block& block) {
  for (unsigned i = 0; i < ArLftBlock::kEntries; ++i) {
    field(at(i, 0, 12), 12, block.entries[i].group);
    field(at(i, 16, 8), 8, block.entries[i].default_port);
    field(at(i, 24, 4), 4, block.entries[i].table);
    field(at(i, 30, 2), 2, block.entries[i].state);
  }
}

template <class Op, class Block>
void layout_copies(Op field, Block& block) {
  for (unsigned i = 0; i < ArGroupCopyBlock::kRanges; ++i) {
    field(at(i, ar_unconfirmed::kFirstOfCopyBit, 12), 12, block.ranges[i].first);
    field(at(i, ar_unconfirmed::kLastOfCopyBit, 12), 12, block.ranges[i].last);
  }
}

template <class Op, class Block>
void layout_directions(Op field, Block& block) {
  for (unsigned i = 0; i < RnDirectionBlock::kSubGroups; ++i) field(8 * i, 8, block.directions[i]);
}

template <class Op, class Block>
void layout_gen_strings(Op field, Block& block) {
  for (unsigned i = 0; i < RnGenStringBlock::kDirections; ++i) field(16 * i, 16, block.strings[i]);
}

template <class Op, class Block>
void layout_rcv_strings(Op field, Block& block) {
  for (unsigned i = 0; i < RnRcvStringBlock::kStrings; ++i) {
    field(at(i, 0, 2), 2, block.strings[i].decision);
    field(at(i, 8, 8), 8, block.strings[i].table);
    field(at(i, 16, 16), 16, block.strings[i].string);
  }
}

/// Masks within the four bits of a port in RNXmitPortMask. The lowest bit is for load
/// notifications, which are not used.
constexpr unsigned kXmitFaults = 2;
constexpr unsigned kXmitPassOn = 4;

/// Bits of an entry of RNGenBySubGroupPriority.
constexpr unsigned kGeneratesLoad = 0, kGeneratesFaults = 1;

constexpr unsigned bit_of(std::size_t group, unsigned port) {
  return static_cast<unsigned>(group) * 256 + ar_unconfirmed::bit_of_port(port);
}

}  // namespace

SmpData encode(const AdaptiveRoutingInfo& info) { return encode(info, SmpData{}); }

SmpData encode(const AdaptiveRoutingInfo& info, const SmpData& read) {
  SmpData data = read;
  layout_info(wire::FieldWriter(data.data()), info);
  return data;
}

AdaptiveRoutingInfo decode_adaptive_routing_info(std::span<const std::byte, kSmpDataSize> data) {
  AdaptiveRoutingInfo info;
  layout_info(wire::FieldReader(data.data()), info);
  return info;
}

SmpData encode(const ArGroupBlock& block) {
  SmpData data{};
  for (std::size_t g = 0; g < ArGroupBlock::kGroups; ++g)
    for (unsigned port = 0; port < 256; ++port)
      if (block.groups[g].test(port)) wire::write_bits(data.data(), bit_of(g, port), 1, 1);
  return data;
}

ArGroupBlock decode_ar_group_block(std::span<const std::byte, kSmpDataSize> data) {
  ArGroupBlock block;
  for (std::size_t g = 0; g < ArGroupBlock::kGroups; ++g)
    for (unsigned port = 0; port < 256; ++port)
      if (wire::read_bits(data.data(), bit_of(g, port), 1) != 0) block.groups[g].set(port);
  return block;
}

SmpData encode(const ArGroupCopyBlock& block) {
  SmpData data{};
  layout_copies(wire::FieldWriter(data.data()), block);
  return data;
}

ArGroupCopyBlock decode_ar_group_copy_block(std::span<const std::byte, kSmpDataSize> data) {
  ArGroupCopyBlock block;
  layout_copies(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const ArLftBlock& block) {
  SmpData data{};
  layout_lft(wire::FieldWriter(data.data()), block);
  return data;
}

ArLftBlock decode_ar_lft_block(std::span<const std::byte, kSmpDataSize> data) {
  ArLftBlock block;
  layout_lft(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const RnDirectionBlock& block) {
  SmpData data{};
  layout_directions(wire::FieldWriter(data.data()), block);
  return data;
}

RnDirectionBlock decode_rn_direction_block(std::span<const std::byte, kSmpDataSize> data) {
  RnDirectionBlock block;
  layout_directions(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const RnGenStringBlock& block) {
  SmpData data{};
  layout_gen_strings(wire::FieldWriter(data.data()), block);
  return data;
}

RnGenStringBlock decode_rn_gen_string_block(std::span<const std::byte, kSmpDataSize> data) {
  RnGenStringBlock block;
  layout_gen_strings(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const RnRcvStringBlock& block) {
  SmpData data{};
  layout_rcv_strings(wire::FieldWriter(data.data()), block);
  return data;
}

RnRcvStringBlock decode_rn_rcv_string_block(std::span<const std::byte, kSmpDataSize> data) {
  RnRcvStringBlock block;
  layout_rcv_strings(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const RnXmitPortBlock& block) {
  SmpData data{};
  for (unsigned port = 0; port < RnXmitPortBlock::kPorts; ++port)
    wire::write_bits(data.data(), 4 * port, 4,
                     (block.faults.test(port) ? kXmitFaults : 0u) |
                         (block.passed_on.test(port) ? kXmitPassOn : 0u));
  return data;
}

RnXmitPortBlock decode_rn_xmit_port_block(std::span<const std::byte, kSmpDataSize> data) {
  RnXmitPortBlock block;
  for (unsigned port = 0; port < RnXmitPortBlock::kPorts; ++port) {
    const auto bits = wire::read_bits(data.data(), 4 * port, 4);
    block.faults.set(port, (bits & kXmitFaults) != 0);
    block.passed_on.set(port, (bits & kXmitPassOn) != 0);
  }
  return block;
}

SmpData encode(const RnPriorityBlock& block) {
  SmpData data{};
  for (unsigned i = 0; i < RnPriorityBlock::kPriorities; ++i) {
    wire::write_bits(data.data(), at(i, kGeneratesLoad, 1), 1, block.load.test(i) ? 1 : 0);
    wire::write_bits(data.data(), at(i, kGeneratesFaults, 1), 1, block.faults.test(i) ? 1 : 0);
  }
  return data;
}

RnPriorityBlock decode_rn_priority_block(std::span<const std::byte, kSmpDataSize> data) {
  RnPriorityBlock block;
  for (unsigned i = 0; i < RnPriorityBlock::kPriorities; ++i) {
    block.load.set(i, wire::read_bits(data.data(), at(i, kGeneratesLoad, 1), 1) != 0);
    block.faults.set(i, wire::read_bits(data.data(), at(i, kGeneratesFaults, 1), 1) != 0);
  }
  return block;
}

}  // namespace weft
