// Requests that wait for their turn, one from each port after the other: who floods the
// administration delays himself. What may wait is bounded, and a port alone may not take all of it;
// the more ports there are, the less each has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "ib/gmp.h"

namespace weft {

class FairQueue {
 public:
  static constexpr std::size_t kShared = std::size_t{1} << 15;  // by the ports that wait
  static constexpr std::size_t kOwn = 2;                        // of each besides
  static constexpr std::size_t kMax = std::size_t{1} << 17;     // of all

  /// False where the port has its share, or there is no room: the request is lost.
  bool push(const Gmp& gmp);
  /// Of the port whose turn it is, the oldest.
  std::optional<Gmp> pop();

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Slot {
    Gmp gmp;
    std::uint32_t next = kNone;  // of the same port, or of those that are free
  };
  struct Line {
    std::uint32_t first = kNone;  // slots
    std::uint32_t last = kNone;
    std::uint32_t length = 0;
  };
  std::vector<Slot> slots_;
  std::uint32_t free_ = kNone;
  std::vector<Line> lines_ = std::vector<Line>(0x10000);  // by LID
  std::deque<std::uint16_t> turns_;                       // each LID that waits, once
  std::size_t size_ = 0;
};

}  // namespace weft
