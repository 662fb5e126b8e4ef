// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Byte layout of PortCounters and PortCountersExtended, as in libibmad's and OpenSM's structures.
#include <gtest/gtest.h>

#include "ib/performance.h"
#include "unit/gmp/number_at.h"

namespace weft {
namespace {

PortCounters numbered() {
  PortCounters counters{PortNum(0xA1), 0xB1B2, 0xC1, {}};
  for (std::size_t i = 0; i < kCounterCount; ++i) counters.values[i] = i + 1;
  return counters;
}

TEST(PortCountersWire, EncodesEveryField) {
  const PerfData data = encode_port_counters(numbered());
  EXPECT_EQ(number_at(data, 0, 4), 0x00A1B1B2u);
  EXPECT_EQ(number_at(data, 4, 2), 1u);   // symbol errors
  EXPECT_EQ(number_at(data, 6, 1), 2u);   // link error recovery
  EXPECT_EQ(number_at(data, 7, 1), 3u);   // link downed
  EXPECT_EQ(number_at(data, 8, 2), 4u);   // receive errors
  EXPECT_EQ(number_at(data, 10, 2), 5u);  // remote physical errors
  EXPECT_EQ(number_at(data, 12, 2), 6u);  // switch relay errors
  EXPECT_EQ(number_at(data, 14, 2), 7u);  // discards
  EXPECT_EQ(number_at(data, 16, 1), 8u);  // transmit constraint errors
  EXPECT_EQ(number_at(data, 17, 1), 9u);  // receive constraint errors
  EXPECT_EQ(number_at(data, 18, 1), 0xC1u);
  EXPECT_EQ(number_at(data, 19, 1), 0xABu);  // link integrity 10, buffer overrun 11
  EXPECT_EQ(number_at(data, 20, 2), 0u);     // QP 1 dropped is not read
  EXPECT_EQ(number_at(data, 22, 2), 12u);    // VL 15 dropped
  EXPECT_EQ(number_at(data, 24, 4), 14u);    // transmitted data
  EXPECT_EQ(number_at(data, 28, 4), 15u);    // received data
  EXPECT_EQ(number_at(data, 32, 4), 16u);    // transmitted packets
  EXPECT_EQ(number_at(data, 36, 4), 17u);    // received packets
  EXPECT_EQ(number_at(data, 40, 4), 13u);    // XmitWait
  PortCounters back = decode_port_counters(data);
  for (std::size_t i = index(Counter::kUnicastXmitPkts); i < kCounterCount; ++i)
    back.values[i] = i + 1;
  EXPECT_EQ(back, numbered());
}

TEST(PortCountersWire, EncodesExtendedCountersWith64Bits) {
  const PerfData data = encode_port_counters_extended(numbered());
  EXPECT_EQ(number_at(data, 0, 4), 0x00A1B1B2u);
  EXPECT_EQ(number_at(data, 4, 4), 0u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(number_at(data, 8 + 8 * i, 8), 14 + i);
  const PortCounters back = decode_port_counters_extended(data);
  for (std::size_t i = kErrorCounterCount; i < kCounterCount; ++i) EXPECT_EQ(back.values[i], i + 1);
}

TEST(PortCountersWire, SaturatesAtTheMaximum) {
  PortCounters counters;
  counters.values.fill(UINT64_MAX);
  const PortCounters back = decode_port_counters(encode_port_counters(counters));
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    const unsigned bits = width(counter_at(i));
    EXPECT_EQ(back.values[i], bits == 0 ? 0 : (std::uint64_t{1} << bits) - 1)
        << name(counter_at(i));
  }
}

TEST(PortCountersWire, SelectsTheCountersOfASet) {
  const PortCounters errors{PortNum(1), kSelectErrors, kSelectXmitWait, {}};
  const PortCounters data{PortNum(1), kSelectData, 0, {}};
  const PortCounters extended{PortNum(1), kSelectExtended, 0, {}};
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    const Counter counter = counter_at(i);
    EXPECT_EQ(selects(errors, false, counter), counts_errors(counter)) << name(counter);
    EXPECT_EQ(selects(data, false, counter), !counts_errors(counter) && width(counter) > 0);
    EXPECT_EQ(selects(extended, true, counter), !counts_errors(counter));
    for (const bool is_extended : {false, true})
      EXPECT_FALSE(selects(PortCounters{}, is_extended, counter)) << name(counter);
  }
}

}  // namespace
}  // namespace weft
