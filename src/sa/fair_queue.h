// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queue of requests, served round-robin by source port: a port that floods the SA delays only its
// own requests, whichever of its LIDs it sends from. The queue is bounded, and so is the share of
// each port; the share shrinks as the number of waiting ports grows.
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
  static constexpr std::size_t kShared = std::size_t{1} << 15;  // shared by the ports that wait
  static constexpr std::size_t kOwn = 2;                        // for each port in addition
  static constexpr std::size_t kMax = std::size_t{1} << 17;     // of all ports

  /// `port`: the base LID of the source. False if the port has used up its share or the queue is
  /// full: the request is dropped.
  bool push(const Gmp& gmp, Lid port);
  /// Removes the oldest request of the next port.
  std::optional<Gmp> pop();

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Slot {
    Gmp gmp;
    std::uint32_t next = kNone;  // slot of the same port, or next free slot
  };
  struct Line {
    std::uint32_t first = kNone;  // slots
    std::uint32_t last = kNone;
    std::uint32_t length = 0;
  };
  std::vector<Slot> slots_;
  std::uint32_t free_ = kNone;
  std::vector<Line> lines_ = std::vector<Line>(0x10000);  // by base LID
  std::deque<std::uint16_t> turns_;                       // each LID with requests, once
  std::size_t size_ = 0;
};

}  // namespace weft
