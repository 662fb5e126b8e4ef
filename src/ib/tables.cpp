// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/tables.h"

#include "ib/wire.h"

namespace weft {
namespace {

/// Entries of equal width, one after the other.
template <class Op, class Entries>
void row(Op field, Entries& entries, unsigned width) {
  unsigned offset = 0;
  for (auto& entry : entries) {
    field(offset, width, entry);
    offset += width;
  }
}

template <class Op, class Table>
void vl_arb_layout(Op field, Table& table) {
  unsigned offset = 0;
  for (auto& entry : table.entries) {
    field(offset + 4, 4, entry.vl);
    field(offset + 8, 8, entry.weight);
    offset += 16;
  }
}

}  // namespace

SmpData encode(const GuidInfo& block) {
  SmpData data{};
  row(wire::FieldWriter(data.data()), block.guids, 64);
  return data;
}
Result<GuidInfo> decode_guid_info(std::span<const std::byte, kSmpDataSize> data) {
  GuidInfo block;
  row(wire::FieldReader(data.data()), block.guids, 64);
  return block;
}

SmpData encode(const PkeyTable& block) {
  SmpData data{};
  row(wire::FieldWriter(data.data()), block.pkeys, 16);
  return data;
}
Result<PkeyTable> decode_pkey_table(std::span<const std::byte, kSmpDataSize> data) {
  PkeyTable block;
  row(wire::FieldReader(data.data()), block.pkeys, 16);
  return block;
}

SmpData encode(const SlToVlTable& table) {
  SmpData data{};
  row(wire::FieldWriter(data.data()), table.vls, 4);
  return data;
}
Result<SlToVlTable> decode_sl_to_vl_table(std::span<const std::byte, kSmpDataSize> data) {
  SlToVlTable table;
  row(wire::FieldReader(data.data()), table.vls, 4);
  return table;
}

SmpData encode(const VlArbTable& block) {
  SmpData data{};
  vl_arb_layout(wire::FieldWriter(data.data()), block);
  return data;
}
Result<VlArbTable> decode_vl_arb_table(std::span<const std::byte, kSmpDataSize> data) {
  VlArbTable block;
  vl_arb_layout(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const LinearForwardingTable& block) {
  SmpData data{};
  row(wire::FieldWriter(data.data()), block.ports, 8);
  return data;
}
Result<LinearForwardingTable> decode_linear_forwarding_table(
    std::span<const std::byte, kSmpDataSize> data) {
  LinearForwardingTable block;
  row(wire::FieldReader(data.data()), block.ports, 8);
  return block;
}

SmpData encode(const MulticastForwardingTable& block) {
  SmpData data{};
  row(wire::FieldWriter(data.data()), block.port_masks, 16);
  return data;
}
Result<MulticastForwardingTable> decode_multicast_forwarding_table(
    std::span<const std::byte, kSmpDataSize> data) {
  MulticastForwardingTable block;
  row(wire::FieldReader(data.data()), block.port_masks, 16);
  return block;
}

}  // namespace weft
