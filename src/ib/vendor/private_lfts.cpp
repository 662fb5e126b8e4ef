// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/vendor/private_lfts.h"

#include "ib/vendor/private_lfts_unconfirmed.h"
#include "ib/wire.h"

namespace weft {
namespace {

constexpr unsigned kMaskByte = 4;  // first byte of the mask of ports in PrivateLFTMap

template <class Op, class Info>
void layout_private_info(Op field, Info& info) {
  field(8 * 1, 8, info.table_count);
  field(8 * 2, 8, info.mode_count);
  field(8 * 3, 8, info.mode_in_use);
  for (unsigned i = 0; i < PrivateLftInfo::kModes; ++i) {
    field(8 * (4 + 2 * i), 8, info.modes[i].bank_size);
    field(8 * (5 + 2 * i), 8, info.modes[i].banks);
  }
}

template <class Op, class Block>
void layout_private_def(Op field, Block& block) {
  constexpr unsigned kFlag = plft_unconfirmed::kForceSubGroupBits;
  for (unsigned i = 0; i < PrivateLftDefBlock::kTables; ++i) {
    field(32 * i, kFlag, block.tables[i].force_sub_group_0);
    field(32 * i + kFlag, plft_unconfirmed::kBankBits, block.tables[i].bank);
    field(32 * i + 8, 8, block.tables[i].size);
    field(32 * i + 24, 8, block.tables[i].offset);
  }
}

template <class Op, class Map>
void layout_private_map(Op field, Map& map) {
  field(8 * 3 + 7, 1, map.sets_ports);
  field(8 * 3 + 6, 1, map.sets_top);
  field(8 * 38, 16, map.top);
}

template <class Op, class Block>
void layout_port_sl(Op field, Block& block) {
  for (unsigned port = 0; port < PortSlToPrivateLftBlock::kPorts; ++port)
    for (unsigned sl = 0; sl < PortSlToPrivateLftBlock::kSls; ++sl)
      field(128 * port + 8 * sl, 8, block.tables[port][sl]);
}

constexpr unsigned bit_of_mask(unsigned port) {
  return 8 * kMaskByte + plft_unconfirmed::bit_of_port(port);
}

}  // namespace

SmpData encode(const PrivateLftInfo& info) {
  SmpData data{};
  layout_private_info(wire::FieldWriter(data.data()), info);
  return data;
}

PrivateLftInfo decode_private_lft_info(std::span<const std::byte, kSmpDataSize> data) {
  PrivateLftInfo info;
  layout_private_info(wire::FieldReader(data.data()), info);
  return info;
}

SmpData encode(const PrivateLftDefBlock& block) {
  SmpData data{};
  layout_private_def(wire::FieldWriter(data.data()), block);
  return data;
}

PrivateLftDefBlock decode_private_lft_def_block(std::span<const std::byte, kSmpDataSize> data) {
  PrivateLftDefBlock block;
  layout_private_def(wire::FieldReader(data.data()), block);
  return block;
}

SmpData encode(const PrivateLftMap& map) {
  SmpData data{};
  layout_private_map(wire::FieldWriter(data.data()), map);
  for (unsigned port = 0; port < map.ports.size(); ++port)
    if (map.ports.test(port)) wire::write_bits(data.data(), bit_of_mask(port), 1, 1);
  return data;
}

PrivateLftMap decode_private_lft_map(std::span<const std::byte, kSmpDataSize> data) {
  PrivateLftMap map;
  layout_private_map(wire::FieldReader(data.data()), map);
  for (unsigned port = 0; port < map.ports.size(); ++port)
    if (wire::read_bits(data.data(), bit_of_mask(port), 1) != 0) map.ports.set(port);
  return map;
}

SmpData encode(const PortSlToPrivateLftBlock& block) {
  SmpData data{};
  layout_port_sl(wire::FieldWriter(data.data()), block);
  return data;
}

PortSlToPrivateLftBlock decode_port_sl_to_private_lft_block(
    std::span<const std::byte, kSmpDataSize> data) {
  PortSlToPrivateLftBlock block;
  layout_port_sl(wire::FieldReader(data.data()), block);
  return block;
}

}  // namespace weft
