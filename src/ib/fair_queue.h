// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queue of received MADs, taken round-robin by source port: a port that floods the manager delays
// only its own MADs. The queue is bounded, and so is the share of each port; the share shrinks as
// the number of waiting ports grows. A new port with a single MAD is served before ports with
// several MADs and ports that were served already.
// Source of the two lists, of new ports and of ports served before: RFC 8290 (FQ-CoDel), chapter
// 4.2; there, a port with several MADs moves to the second list after its first MAD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ib/ids.h"

namespace weft {

struct QueueLimits {
  std::size_t shared = std::size_t{1} << 15;  // MADs, shared by the ports that wait
  std::size_t own = 2;                        // MADs of each port in addition
  std::size_t all = std::size_t{1} << 17;     // MADs of all ports
};

template <class Mad>
class FairQueue {
 public:
  explicit FairQueue(const QueueLimits& limits = {}) : limits_(limits) {}

  /// Adds a MAD from the port with base LID `port`. Returns false if the port has used up its share
  /// or the queue is full; then the MAD is dropped.
  bool push(const Mad& mad, Lid port) {
    const std::uint16_t lid = port.value();
    const auto found = lines_.find(lid);
    const std::size_t waiting = found == lines_.end() ? 0 : found->second.length;
    const std::size_t share = limits_.shared / (lines_.size() + 1) + limits_.own;
    if (size_ >= limits_.all || waiting >= share) return false;
    const std::uint32_t slot = new_slot(mad);
    Line& line = lines_[lid];
    if (line.length++ == 0)
      line.first = slot;
    else
      slots_[line.last].next = slot;
    line.last = slot;
    ++size_;
    if (!std::exchange(line.listed, true)) fresh_.push_back(lid);
    return true;
  }

  /// Removes and returns the oldest MAD of the next port; none if the queue is empty. A port that
  /// was served stays listed until its list reaches it again without a MAD. Otherwise a port that
  /// sends its next request right after a response would always be first.
  std::optional<Mad> pop() {
    while (!fresh_.empty() || !served_.empty()) {
      const bool fresh = !fresh_.empty();
      std::deque<std::uint16_t>& list = fresh ? fresh_ : served_;
      const std::uint16_t lid = list.front();
      list.pop_front();
      Line& line = lines_[lid];
      if (line.length == 0) {
        lines_.erase(lid);
        continue;
      }
      served_.push_back(lid);
      if (fresh && line.length > 1) continue;
      return take_first(line);
    }
    return std::nullopt;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Slot {
    Mad mad;
    std::uint32_t next = kNone;  // slot of the same port, or next free slot
  };
  struct Line {
    std::uint32_t first = kNone;  // slots
    std::uint32_t last = kNone;
    std::uint32_t length = 0;
    bool listed = false;  // in fresh_ or served_
  };

  std::uint32_t new_slot(const Mad& mad) {
    if (free_ == kNone) {
      slots_.push_back({mad, kNone});
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_;
    free_ = slots_[slot].next;
    slots_[slot] = {mad, kNone};
    return slot;
  }

  Mad take_first(Line& line) {
    const std::uint32_t slot = line.first;
    line.first = std::exchange(slots_[slot].next, free_);
    free_ = slot;
    --line.length;
    --size_;
    return slots_[slot].mad;
  }

  const QueueLimits limits_;
  std::vector<Slot> slots_;
  std::uint32_t free_ = kNone;
  std::unordered_map<std::uint16_t, Line> lines_;  // by base LID; only listed ports
  std::deque<std::uint16_t> fresh_;                // LIDs not served since they were listed
  std::deque<std::uint16_t> served_;  // other LIDs, until pop() finds no MAD of the LID
  std::size_t size_ = 0;
};

}  // namespace weft
