// What the history's writer counts, for whoever shows it.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

struct HistoryMeter {
  std::atomic<std::uint64_t> written{0};  // events that are in the file
  std::atomic<std::uint64_t> lost{0};     // events that found no room while it could not be written
  std::atomic<bool> failing{false};       // the last try to write it did not work
};

}  // namespace weft
