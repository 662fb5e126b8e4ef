// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ends a long computation early: the loops of parallel.h throw Cancelled once the cancellation of
// their thread is requested. A thread without a cancellation, as in all programs but the Python
// package, is never interrupted.
#pragma once

#include <atomic>
#include <exception>

namespace weft {

class Cancellation {
 public:
  Cancellation() = default;
  virtual ~Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  void request() { requested_.store(true); }
  bool is_requested() const { return requested_.load(std::memory_order_relaxed); }
  const std::atomic<bool>& flag() const { return requested_; }

  /// The cancellation of this thread; null: none.
  static Cancellation* current();

 private:
  std::atomic<bool> requested_{false};
};

/// Thrown by a loop that was cancelled. The results of the computation are incomplete.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

/// Applies a cancellation (null: none) to this thread until the end of the scope. Loops of
/// parallel.h apply the cancellation of their caller to the threads on which they run.
class CancellationScope {
 public:
  explicit CancellationScope(Cancellation* cancellation);
  ~CancellationScope();
  CancellationScope(const CancellationScope&) = delete;
  CancellationScope& operator=(const CancellationScope&) = delete;

 private:
  Cancellation* before_;
};

/// Throws Cancelled if the cancellation of this thread is requested.
void throw_if_cancelled();

}  // namespace weft
