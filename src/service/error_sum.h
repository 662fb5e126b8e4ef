// What a port's counters come to.
#pragma once

#include "ib/performance.h"

namespace weft {

inline constexpr std::uint64_t kBytesOfData = 4;  // the unit of the data counters

/// All counters of errors; waiting is none.
constexpr std::uint64_t errors_of(const CounterValues& values) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kErrorCounterCount; ++i)
    if (counter_at(i) != Counter::kXmitWait) sum += values[i];
  return sum;
}

}  // namespace weft
