// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests that wait for the windows of their devices. Each device has a queue. All queues share a
// pool of entries, because most SMPs of a first sweep wait in a queue.
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

  /// A request with undefined content, which push() adds to a queue; valid until the next call of
  /// draft().
  HeldRequest& draft();
  /// Appends the request from draft() to a queue.
  void push(Queue& queue);
  /// The oldest request; valid until the next call of draft().
  const HeldRequest& front(const Queue& queue) const { return entries_[queue.first_].held; }
  void pop(Queue& queue);
  /// Empties the queue; returns the cookies of its requests, oldest first.
  std::vector<std::uint64_t> take_all(Queue& queue);
  /// The number of requests in all queues.
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Entry {
    HeldRequest held;
    std::uint32_t next = kNone;  // next entry of the queue or of the free list
  };

  std::vector<Entry> entries_;
  std::uint32_t free_ = kNone;  // first entry of the free list, which draft() returns
  std::size_t size_ = 0;
};

}  // namespace weft
