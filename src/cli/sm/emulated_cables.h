// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cuts and restores links of the emulated fabric of a running subnet manager. The emulator is not
// thread-safe: requests of other threads are executed by the manager's thread between two steps.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "base/result.h"
#include "emulator/emulated_fabric.h"
#include "service/cable_order.h"
#include "sm/sweep_report.h"

namespace weft::cli {

/// Accepts node names of the emulated fabric and of `published` (may be null), which differ if
/// node_name_map_name is set. Fails with kUsage if the node, port or link does not exist.
Result<CableOutcome> carry_out(const CableOrder& order, EmulatedFabric& emulated,
                               const Snapshot* published);

class EmulatedCables {
 public:
  explicit EmulatedCables(EmulatedFabric& emulated) : emulated_(emulated) {}

  /// Called by any thread except the manager's. Fails as carry_out() does, and with kTimeout,
  /// without a change, if the manager is busy for more than kRequestTimeout or has ended.
  Result<CableOutcome> submit(const CableOrder& order, const Snapshot* published);

  /// Executes pending requests; called by the manager's thread after each step.
  void step();
  /// Called after the last step; pending requests fail.
  void end();

 private:
  static constexpr std::chrono::seconds kRequestTimeout{10};

  struct Request {
    const CableOrder& order;
    const Snapshot* published;
    Result<CableOutcome> outcome;
    bool done = false;
  };

  EmulatedFabric& emulated_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::deque<Request*> requests_;  // each on the stack of the waiting thread
  std::atomic<bool> waiting_ = false;
  bool ended_ = false;
};

}  // namespace weft::cli
