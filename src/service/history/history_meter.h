// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Statistics of the history writer, for metrics.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

struct HistoryMeter {
  std::atomic<std::uint64_t> written{0};  // events written to the file
  std::atomic<std::uint64_t> lost{0};     // events dropped because the queue was full
  std::atomic<bool> failing{false};       // the last write failed
};

}  // namespace weft
