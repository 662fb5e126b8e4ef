// Cutting and mending cables of the emulated fabric that a manager runs on. The emulation is not
// for several threads: what other threads ask for is done by the manager's, between two of its
// steps.
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

/// Names of nodes are those of the emulation, or as `published` (may be null) knows them, which
/// node_name_map_name may have changed. Fails with kUsage where there is no such node, port or
/// cable.
Result<CableOutcome> carry_out(const CableOrder& order, EmulatedFabric& emulated,
                               const Snapshot* published);

class EmulatedCables {
 public:
  explicit EmulatedCables(EmulatedFabric& emulated) : emulated_(emulated) {}

  /// By any thread but the manager's. Fails as carry_out(), and with kTimeout, nothing changed,
  /// where the manager was busy for too long or has ended.
  Result<CableOutcome> ask(const CableOrder& order, const Snapshot* published);

  /// By the manager's thread, after each of its steps.
  void step();
  /// No step follows; waiting calls fail.
  void end();

 private:
  static constexpr std::chrono::seconds kPatience{10};

  struct Asked {
    const CableOrder& order;
    const Snapshot* published;
    Result<CableOutcome> outcome;
    bool done = false;
  };

  EmulatedFabric& emulated_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::deque<Asked*> asked_;  // each on the stack of the thread that waits for it
  std::atomic<bool> waiting_ = false;
  bool ended_ = false;
};

}  // namespace weft::cli
