// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Limit of the requests of one port in 100 ms (sa_rate_threshold). An interval of 100 ms begins
// with a request; the next interval begins with the first request after the end of the previous
// interval.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "ib/ids.h"

namespace weft::sa {

class RequestRate {
 public:
  static constexpr TimeNs kSpan = std::chrono::milliseconds(100);

  /// Counts a request of the port with this base LID. Returns false if the port exceeds `most`
  /// requests in the interval; 0: no limit.
  bool admits(Lid port, std::uint64_t most, TimeNs now);

 private:
  struct Span {
    TimeNs begin{};
    std::uint64_t requests = 0;  // 0: no interval has begun
  };
  std::vector<Span> spans_;  // by LID; empty until there is a limit
};

}  // namespace weft::sa
