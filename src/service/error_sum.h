// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sum of a port's error counters, and the unit of its data counters.
#pragma once

#include "ib/performance.h"

namespace weft {

inline constexpr std::uint64_t kBytesOfData = 4;  // PortXmitData, PortRcvData count 4-byte words

/// The sum of all error counters, without PortXmitWait, which counts congestion.
constexpr std::uint64_t errors_of(const CounterValues& values) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kErrorCounterCount; ++i)
    if (counter_at(i) != Counter::kXmitWait) sum += values[i];
  return sum;
}

}  // namespace weft
