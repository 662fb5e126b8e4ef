// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/port_tables.h"

#include <cstring>

#include "ib/tables.h"

namespace weft::emulator {
namespace {

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

MadStatus serve_guid_info(Model& model, Smp& smp, Place at) {
  const PortId port = model.agent_port(at.node, at.port);
  const std::size_t block = smp.modifier;
  if (block * GuidInfo::kEntries >= model.port(port).info.guid_cap)
    return mad_status::kInvalidField;
  if (smp.method == Method::kSet) {
    SmpData& held = model.tables(port).guids[block];
    // The first GUID is the GUID of the port; a Set does not change it.
    const std::size_t fixed = block == 0 ? sizeof(std::uint64_t) : 0;
    std::memcpy(held.data() + fixed, smp.data.data() + fixed, kSmpDataSize - fixed);
  }
  smp.data = model.guid_block(port, block);
  return mad_status::kGood;
}

MadStatus serve_pkey_table(Model& model, Smp& smp, Place at) {
  const auto [block, num] = modifier::read_pkey_table(smp.modifier);
  const NodeModel& node = model.node(at.node);
  PortId port = model.agent_port(at.node, at.port);
  if (node.is_switch) {
    if (num > node.port_count) return mad_status::kInvalidField;
    port = model.port_id(at.node, PortNum(static_cast<std::uint8_t>(num)));
  }
  if (block >= model.pkey_blocks(port)) return mad_status::kInvalidField;
  if (smp.method == Method::kSet) model.tables(port).pkeys[block] = smp.data;
  smp.data = model.pkey_block(port, block);
  return mad_status::kGood;
}

MadStatus serve_sl_to_vl_table(Model& model, Smp& smp, Place at) {
  const auto [in, out, every_pair] = modifier::read_sl_to_vl(smp.modifier);
  const NodeModel& node = model.node(at.node);
  if (!node.is_switch) {
    if (smp.method == Method::kSet)
      model.set_sl2vl(at.node, PortNum(0), at.port, sl2vl_bits(smp.data));
    smp.data = sl2vl_data(model.sl2vl(at.node, PortNum(0), at.port));
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
        model.set_sl2vl(at.node, PortNum(static_cast<std::uint8_t>(i)),
                        PortNum(static_cast<std::uint8_t>(o)), bits);
    return mad_status::kGood;
  }
  if ((smp.modifier & 0xFFFF0000u) != 0 || in.value() > node.port_count ||
      out.value() > node.port_count)
    return mad_status::kInvalidField;
  if (smp.method == Method::kSet) model.set_sl2vl(at.node, in, out, sl2vl_bits(smp.data));
  smp.data = sl2vl_data(model.sl2vl(at.node, in, out));
  return mad_status::kGood;
}

MadStatus serve_vl_arb_table(Model& model, Smp& smp, Place at) {
  const auto [block, num] = modifier::read_vl_arb(smp.modifier);
  const NodeModel& node = model.node(at.node);
  PortId port = model.agent_port(at.node, at.port);
  if (node.is_switch) {
    if (num > node.port_count) return mad_status::kInvalidField;
    port = model.port_id(at.node, PortNum(static_cast<std::uint8_t>(num)));
  }
  const PortInfo& info = model.port(port).info;
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
    model.tables(port).vl_arb[static_cast<std::size_t>(block) - 1] = encode(*table);
  }
  smp.data = model.vl_arb_block(port, block);
  return mad_status::kGood;
}

}  // namespace weft::emulator
