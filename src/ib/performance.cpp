// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/performance.h"

#include <algorithm>

#include "ib/wire.h"

namespace weft {
namespace {

struct Row {
  std::string_view name;
  unsigned offset;           // in PortCounters
  unsigned width;            // 0: absent
  int select;                // bit of CounterSelect, 16 for bit 0 of CounterSelect2; -1: absent
  unsigned extended_offset;  // in PortCountersExtended; 0: absent
};

constexpr std::array<Row, kCounterCount> kRows{{
    {"SymbolErrorCounter", 32, 16, 0, 0},
    {"LinkErrorRecoveryCounter", 48, 8, 1, 0},
    {"LinkDownedCounter", 56, 8, 2, 0},
    {"PortRcvErrors", 64, 16, 3, 0},
    {"PortRcvRemotePhysicalErrors", 80, 16, 4, 0},
    {"PortRcvSwitchRelayErrors", 96, 16, 5, 0},
    {"PortXmitDiscards", 112, 16, 6, 0},
    {"PortXmitConstraintErrors", 128, 8, 7, 0},
    {"PortRcvConstraintErrors", 136, 8, 8, 0},
    {"LocalLinkIntegrityErrors", 152, 4, 9, 0},
    {"ExcessiveBufferOverrunErrors", 156, 4, 10, 0},
    {"VL15Dropped", 176, 16, 11, 0},
    {"XmitWait", 320, 32, 16, 0},
    {"PortXmitData", 192, 32, 12, 64},
    {"PortRcvData", 224, 32, 13, 128},
    {"PortXmitPkts", 256, 32, 14, 192},
    {"PortRcvPkts", 288, 32, 15, 256},
    {"PortUnicastXmitPkts", 0, 0, -1, 320},
    {"PortUnicastRcvPkts", 0, 0, -1, 384},
    {"PortMulticastXmitPkts", 0, 0, -1, 448},
    {"PortMulticastRcvPkts", 0, 0, -1, 512},
}};
constexpr int kSelect2Bit = 16;

template <class Op, class Counters>
void head(Op& field, Counters& counters) {
  field(8, 8, counters.port);
  field(16, 16, counters.select);
}

}  // namespace

std::string_view name(Counter counter) { return kRows[index(counter)].name; }
unsigned width(Counter counter) { return kRows[index(counter)].width; }

bool selects(const PortCounters& set, bool extended, Counter counter) {
  if (extended) {
    const std::size_t bit = index(counter) - index(Counter::kXmitData);
    return !counts_errors(counter) && (set.select >> bit & 1) != 0;
  }
  const int bit = kRows[index(counter)].select;
  if (bit < 0) return false;
  return bit == kSelect2Bit ? (set.select2 & kSelectXmitWait) != 0 : (set.select >> bit & 1) != 0;
}

PerfData encode_port_counters(const PortCounters& counters) {
  PerfData data{};
  wire::FieldWriter field(data.data());
  head(field, counters);
  field(144, 8, counters.select2);
  for (std::size_t i = 0; i < kCounterCount; ++i)
    if (const Row& row = kRows[i]; row.width > 0)
      field(row.offset, row.width, std::min(counters.values[i], wire::mask(row.width)));
  return data;
}

PortCounters decode_port_counters(std::span<const std::byte, kPerfDataSize> data) {
  PortCounters counters;
  wire::FieldReader field(data.data());
  head(field, counters);
  field(144, 8, counters.select2);
  for (std::size_t i = 0; i < kCounterCount; ++i)
    if (const Row& row = kRows[i]; row.width > 0) field(row.offset, row.width, counters.values[i]);
  return counters;
}

PerfData encode_port_counters_extended(const PortCounters& counters) {
  PerfData data{};
  wire::FieldWriter field(data.data());
  head(field, counters);
  for (std::size_t i = kErrorCounterCount; i < kCounterCount; ++i)
    field(kRows[i].extended_offset, 64, counters.values[i]);
  return data;
}

PortCounters decode_port_counters_extended(std::span<const std::byte, kPerfDataSize> data) {
  PortCounters counters;
  wire::FieldReader field(data.data());
  head(field, counters);
  for (std::size_t i = kErrorCounterCount; i < kCounterCount; ++i)
    field(kRows[i].extended_offset, 64, counters.values[i]);
  return counters;
}

}  // namespace weft
