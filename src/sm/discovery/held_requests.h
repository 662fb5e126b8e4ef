// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests that wait for the windows of their devices: a queue for each device, in memory that all
// share, because most SMPs of a bring-up wait once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ib/smp.h"

namespace weft {

struct HeldRequest {
  Smp request;
  std::uint64_t cookie = 0;
};

class HeldRequests {
 public:
  /// Requests to one device, oldest first.
  class Queue {
   public:
    bool empty() const { return first_ == kNone; }

   private:
    friend class HeldRequests;
    std::uint32_t first_ = kNone, last_ = kNone;
  };

  /// An empty request that is in no queue until `push`; valid until the next call of `draft`.
  HeldRequest& draft();
  /// Appends the draft.
  void push(Queue& queue);
  /// The oldest request; valid until the next call of `draft`.
  const HeldRequest& front(const Queue& queue) const { return entries_[queue.first_].held; }
  void pop(Queue& queue);
  /// Empties the queue; returns the cookies of its requests, oldest first.
  std::vector<std::uint64_t> take_all(Queue& queue);
  /// Of all queues.
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Entry {
    HeldRequest held;
    std::uint32_t next = kNone;  // in its queue or among the free ones
  };

  std::vector<Entry> entries_;
  std::uint32_t free_ = kNone;  // the first one, which is the draft
  std::size_t size_ = 0;
};

}  // namespace weft
