// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The requests that wait for the subnet administration; any thread may add requests. push() assigns
// each request to the port that sent the request.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "ib/fair_queue.h"
#include "ib/gmp.h"
#include "sa/view.h"

namespace weft::sa {

class RequestQueue {
 public:
  /// Sets the view that assigns LIDs to ports for later requests; null: each LID counts as a port.
  void set_view(std::shared_ptr<const SaView> view) {
    const std::lock_guard lock(mutex_);
    view_.swap(view);
  }
  /// With a view, all requests with an unassigned source LID count as requests of one port; these
  /// requests are not answered.
  void push(const Gmp& gmp) {
    const std::lock_guard lock(mutex_);
    if (!queue_.push(gmp, port_of(gmp.peer.lid))) ++dropped_over_share_;
  }
  std::optional<Gmp> pop() {
    const std::lock_guard lock(mutex_);
    return queue_.pop();
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
  }
  /// Number of requests dropped because the queue share of their port was full.
  std::uint64_t dropped_over_share() const {
    const std::lock_guard lock(mutex_);
    return dropped_over_share_;
  }

 private:
  Lid port_of(Lid source) const {
    if (!view_) return source;
    const EndportId endport = view_->endport_of(source);
    return endport == kNoEndport ? kLidNone : view_->fabric().endport(endport).lid;
  }

  mutable std::mutex mutex_;
  std::shared_ptr<const SaView> view_;
  FairQueue<Gmp> queue_;
  std::uint64_t dropped_over_share_ = 0;
};

}  // namespace weft::sa
