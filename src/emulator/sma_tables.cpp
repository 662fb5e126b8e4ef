// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The block tables: which blocks exist at which port, and access to them.
#include <cstring>

#include "emulator/sma.h"
#include "ib/tables.h"

namespace weft::emulator {
namespace {

constexpr std::size_t kLftBlock = LinearForwardingTable::kEntries;
constexpr std::size_t kMftBlock = MulticastForwardingTable::kEntries;

std::uint64_t sl2vl_bits(const SmpData& data) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 8; ++i) bits = bits << 8 | std::to_integer<std::uint64_t>(data[i]);
  return bits;
}

SmpData sl2vl_data(std::uint64_t bits) {
  SmpData data{};
  for (std::size_t i = 8; i-- > 0; bits >>= 8) data[i] = static_cast<std::byte>(bits);
  return data;
}

}  // namespace

Sma::Bits Sma::guid_info(Smp& smp, Place at) {
  const PortId port = model_.agent_port(at.node, at.port);
  const std::size_t block = smp.modifier;
  if (block * GuidInfo::kEntries >= model_.port(port).info.guid_cap)
    return mad_status::kInvalidField;
  if (smp.method == Method::kSet) {
    SmpData& held = model_.tables(port).guids[block];
    // The first GUID is the port's own and is kept.
    const std::size_t fixed = block == 0 ? sizeof(std::uint64_t) : 0;
    std::memcpy(held.data() + fixed, smp.data.data() + fixed, kSmpDataSize - fixed);
  }
  smp.data = model_.guid_block(port, block);
  return mad_status::kGood;
}

Sma::Bits Sma::pkey_table(Smp& smp, Place at) {
  const auto [block, num] = modifier::read_pkey_table(smp.modifier);
  const NodeModel& node = model_.node(at.node);
  PortId port = model_.agent_port(at.node, at.port);
  if (node.is_switch) {
    if (num > node.port_count) return mad_status::kInvalidField;
    port = model_.port_id(at.node, PortNum(static_cast<std::uint8_t>(num)));
  }
  if (block >= model_.pkey_blocks(port)) return mad_status::kInvalidField;
  if (smp.method == Method::kSet) model_.tables(port).pkeys[block] = smp.data;
  smp.data = model_.pkey_block(port, block);
  return mad_status::kGood;
}

Sma::Bits Sma::sl_to_vl_table(Smp& smp, Place at) {
  const auto [in, out, every_pair] = modifier::read_sl_to_vl(smp.modifier);
  const NodeModel& node = model_.node(at.node);
  if (!node.is_switch) {
    if (smp.method == Method::kSet)
      model_.set_sl2vl(at.node, PortNum(0), at.port, sl2vl_bits(smp.data));
    smp.data = sl2vl_data(model_.sl2vl(at.node, PortNum(0), at.port));
    return mad_status::kGood;
  }
  if (smp.method == Method::kSet && every_pair) {
    if (node.switch_info.optimized_sl2vl == 0 ||
        node.quirks.sl2vl_at_once == OptimizedSl2VlQuirk::kRefuses)
      return mad_status::kInvalidField;
    if (node.quirks.sl2vl_at_once == OptimizedSl2VlQuirk::kIgnores) return mad_status::kGood;
    const std::uint64_t bits = sl2vl_bits(smp.data);
    for (unsigned i = 0; i <= node.port_count; ++i)
      for (unsigned o = 0; o <= node.port_count; ++o)
        model_.set_sl2vl(at.node, PortNum(static_cast<std::uint8_t>(i)),
                         PortNum(static_cast<std::uint8_t>(o)), bits);
    return mad_status::kGood;
  }
  if ((smp.modifier & 0xFFFF0000u) != 0 || in.value() > node.port_count ||
      out.value() > node.port_count)
    return mad_status::kInvalidField;
  if (smp.method == Method::kSet) model_.set_sl2vl(at.node, in, out, sl2vl_bits(smp.data));
  smp.data = sl2vl_data(model_.sl2vl(at.node, in, out));
  return mad_status::kGood;
}

Sma::Bits Sma::vl_arb_table(Smp& smp, Place at) {
  const auto [block, num] = modifier::read_vl_arb(smp.modifier);
  const NodeModel& node = model_.node(at.node);
  PortId port = model_.agent_port(at.node, at.port);
  if (node.is_switch) {
    if (num > node.port_count) return mad_status::kInvalidField;
    port = model_.port_id(at.node, PortNum(static_cast<std::uint8_t>(num)));
  }
  const PortInfo& info = model_.port(port).info;
  const bool is_high = block >= modifier::VlArbBlock::kHighFirst;
  const bool is_second =
      block == modifier::VlArbBlock::kLowSecond || block == modifier::VlArbBlock::kHighSecond;
  const std::size_t cap = is_high ? info.vl_arb_high_cap : info.vl_arb_low_cap;
  const std::size_t first = is_second ? VlArbTable::kEntries : 0;
  if (block < modifier::VlArbBlock::kLowFirst || block > modifier::VlArbBlock::kHighSecond ||
      first >= cap)
    return mad_status::kInvalidField;
  if (smp.method == Method::kSet) {
    auto table = decode_vl_arb_table(smp.data);
    for (std::size_t i = 0; i < VlArbTable::kEntries; ++i) {
      if (first + i >= cap) table->entries[i] = {};  // beyond the capacity
      if (table->entries[i].vl == Vl(15)) return mad_status::kInvalidField;
    }
    model_.tables(port).vl_arb[static_cast<std::size_t>(block) - 1] = encode(*table);
  }
  smp.data = model_.vl_arb_block(port, block);
  return mad_status::kGood;
}

Sma::Bits Sma::linear_forwarding_table(Smp& smp, Place at) {
  NodeModel& node = model_.node(at.node);
  const std::size_t begin = std::size_t{smp.modifier} * kLftBlock;
  if (begin >= node.switch_info.linear_fdb_cap) return mad_status::kInvalidField;
  const std::size_t end = begin + kLftBlock;
  if (smp.method == Method::kSet) {
    // Writing a plain table disables adaptive routing, or is an error.
    if (node.adaptive.info.enabled && node.adaptive.info.no_fallback)
      return mad_status::kInvalidField;
    node.adaptive.info.enabled = false;
    if (node.lft.size() < end) {
      // Reserves the whole table: memory pages are allocated only when they are written.
      node.lft.reserve((node.switch_info.linear_fdb_cap + kLftBlock - 1) / kLftBlock * kLftBlock);
      node.lft.resize(end, 255);
    }
    std::memcpy(node.lft.data() + begin, smp.data.data(), kLftBlock);
    return mad_status::kGood;
  }
  if (node.lft.size() < end)
    smp.data.fill(std::byte{255});
  else
    std::memcpy(smp.data.data(), node.lft.data() + begin, kLftBlock);
  return mad_status::kGood;
}

Sma::Bits Sma::multicast_forwarding_table(Smp& smp, Place at) {
  const auto [block, position] = modifier::read_multicast_forwarding_table(smp.modifier);
  NodeModel& node = model_.node(at.node);
  const std::size_t begin = block * kMftBlock;
  if ((smp.modifier & 0x0FFFFE00u) != 0 || begin >= node.switch_info.multicast_fdb_cap ||
      position >= Model::mft_positions(node))
    return mad_status::kInvalidField;
  if (smp.method == Method::kSet) {
    const auto table = decode_multicast_forwarding_table(smp.data);
    for (std::size_t i = 0; i < kMftBlock; ++i)
      model_.set_mft(node, begin + i, position, table->port_masks[i]);
    return mad_status::kGood;
  }
  MulticastForwardingTable table;
  for (std::size_t i = 0; i < kMftBlock; ++i)
    table.port_masks[i] = model_.mft(node, begin + i, position);
  smp.data = encode(table);
  return mad_status::kGood;
}

}  // namespace weft::emulator
