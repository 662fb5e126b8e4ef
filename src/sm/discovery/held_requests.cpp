// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/held_requests.h"

namespace weft {

HeldRequest& HeldRequests::draft() {
  if (free_ == kNone) {
    free_ = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  return entries_[free_].held;
}

void HeldRequests::push(Queue& queue) {
  const std::uint32_t added = free_;
  free_ = entries_[added].next;
  entries_[added].next = kNone;
  if (queue.empty())
    queue.first_ = added;
  else
    entries_[queue.last_].next = added;
  queue.last_ = added;
  ++size_;
}

void HeldRequests::pop(Queue& queue) {
  const std::uint32_t removed = queue.first_;
  queue.first_ = entries_[removed].next;
  entries_[removed].next = free_;
  free_ = removed;
  --size_;
}

std::vector<std::uint64_t> HeldRequests::take_all(Queue& queue) {
  std::vector<std::uint64_t> cookies;
  for (; !queue.empty(); pop(queue)) cookies.push_back(front(queue).cookie);
  return cookies;
}

}  // namespace weft
