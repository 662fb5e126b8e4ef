// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends MADs through libibumad. If the kernel's send queue is full, MADs wait in a bounded queue
// for a limited time; their order is kept.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace weft {

class UmadOutbox {
 public:
  static constexpr std::size_t kWaitingMax = 4096;
  static constexpr TimeNs kAgeMax = std::chrono::milliseconds(200);  // older requests have expired
  static constexpr TimeNs kPause = std::chrono::milliseconds(1);     // between retries

  explicit UmadOutbox(int port) : port_(port) {}

  /// `umad`: the library's header with the address, followed by a MAD of `length` bytes.
  /// `timeout_ms`: how long the kernel waits for the response; 0: no response. Fails with
  /// kEnvironment on a permanent error, or if the queue is full.
  Status send(int agent, std::span<const std::byte> umad, int timeout_ms, std::size_t length);
  /// Sends waiting MADs, and drops MADs older than kAgeMax and MADs with a permanent error; false
  /// if some still wait.
  bool flush();
  /// Returns when to call flush() next: `deadline`, or earlier if MADs wait.
  TimeNs next_try(TimeNs deadline);

 private:
  struct Waiting {
    int agent;
    std::vector<std::byte> umad;
    int timeout_ms;
    std::size_t length;
    TimeNs since;
  };
  bool flush_locked();

  const int port_;
  RealClock clock_;
  std::mutex mutex_;
  std::deque<Waiting> waiting_;
};

}  // namespace weft
