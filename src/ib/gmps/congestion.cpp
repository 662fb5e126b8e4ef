// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/gmps/congestion.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Entry>
void entry_layout(Op& field, unsigned offset, Entry& entry) {
  field(offset, 2, entry.shift);
  field(offset + 2, 14, entry.multiplier);
}

template <class Op, class Setting>
void switch_layout(Op field, Setting& setting) {
  field(0, 32, setting.control_map);
  field(544, 4, setting.threshold);
  field(552, 8, setting.packet_size);
  field(560, 4, setting.cs_threshold);
  entry_layout(field, 576, setting.cs_return_delay);
  field(592, 16, setting.marking_rate);
}

constexpr unsigned kVictimMaskOffset = 4;  // in bytes
constexpr unsigned kCreditMaskOffset = 36;

template <class Op, class Setting>
void ca_layout(Op field, Setting& setting) {
  field(0, 16, setting.port_control);
  field(16, 16, setting.control_map);
  for (unsigned sl = 0; sl < kSlCount; ++sl) {
    auto& entry = setting.entries[sl];
    const unsigned offset = 32 + 64 * sl;
    field(offset, 16, entry.ccti_timer);
    field(offset + 16, 8, entry.ccti_increase);
    field(offset + 24, 8, entry.trigger_threshold);
    field(offset + 32, 8, entry.ccti_min);
  }
}

template <class Op, class Table>
void table_layout(Op field, Table& table) {
  field(0, 16, table.ccti_limit);
  for (unsigned i = 0; i < CongestionControlTable::kEntries; ++i)
    entry_layout(field, 32 + 16 * i, table.entries[i]);
}

/// Writes a number of 256 bits: port 0 is the last bit of the last byte.
void write_mask(std::byte* bytes, const PortMask& mask) {
  for (unsigned port = 0; port < 256; ++port)
    if (mask[port]) bytes[31 - port / 8] |= static_cast<std::byte>(1u << port % 8);
}
PortMask read_mask(const std::byte* bytes) {
  PortMask mask;
  for (unsigned port = 0; port < 256; ++port)
    mask[port] = (std::to_integer<unsigned>(bytes[31 - port / 8]) >> port % 8 & 1) != 0;
  return mask;
}

}  // namespace

std::uint64_t cc_key(const Gmp& gmp) { return wire::read_bits(gmp.data.data(), 0, 64); }
void set_cc_key(Gmp& gmp, std::uint64_t key) { wire::write_bits(gmp.data.data(), 0, 64, key); }

CongestionData encode(const SwitchCongestionSetting& setting) {
  CongestionData data{};
  switch_layout(wire::FieldWriter(data.data()), setting);
  write_mask(data.data() + kVictimMaskOffset, setting.victim_mask);
  write_mask(data.data() + kCreditMaskOffset, setting.credit_mask);
  return data;
}
CongestionData encode(const CaCongestionSetting& setting) {
  CongestionData data{};
  ca_layout(wire::FieldWriter(data.data()), setting);
  return data;
}
CongestionData encode(const CongestionControlTable& table) {
  CongestionData data{};
  table_layout(wire::FieldWriter(data.data()), table);
  return data;
}

SwitchCongestionSetting decode_switch_congestion_setting(
    std::span<const std::byte, kCongestionDataSize> data) {
  SwitchCongestionSetting setting;
  switch_layout(wire::FieldReader(data.data()), setting);
  setting.victim_mask = read_mask(data.data() + kVictimMaskOffset);
  setting.credit_mask = read_mask(data.data() + kCreditMaskOffset);
  return setting;
}
CaCongestionSetting decode_ca_congestion_setting(
    std::span<const std::byte, kCongestionDataSize> data) {
  CaCongestionSetting setting;
  ca_layout(wire::FieldReader(data.data()), setting);
  return setting;
}
CongestionControlTable decode_congestion_control_table(
    std::span<const std::byte, kCongestionDataSize> data) {
  CongestionControlTable table;
  table_layout(wire::FieldReader(data.data()), table);
  return table;
}

}  // namespace weft
