// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/fair_queue.h"

namespace weft {

bool FairQueue::push(const Gmp& gmp, Lid port) {
  const std::uint16_t lid = port.value();
  Line& line = lines_[lid];
  const std::size_t share = kShared / (turns_.size() + 1) + kOwn;
  if (size_ >= kMax || line.length >= share) return false;
  std::uint32_t slot = free_;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back({gmp, kNone});
  } else {
    free_ = slots_[slot].next;
    slots_[slot] = {gmp, kNone};
  }
  if (line.length++ == 0) {
    line.first = slot;
    turns_.push_back(lid);
  } else {
    slots_[line.last].next = slot;
  }
  line.last = slot;
  ++size_;
  return true;
}

std::optional<Gmp> FairQueue::pop() {
  if (turns_.empty()) return std::nullopt;
  const std::uint16_t lid = turns_.front();
  turns_.pop_front();
  Line& line = lines_[lid];
  const std::uint32_t slot = line.first;
  line.first = std::exchange(slots_[slot].next, free_);
  free_ = slot;
  if (--line.length > 0) turns_.push_back(lid);
  --size_;
  return slots_[slot].gmp;
}

}  // namespace weft
