// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes partitions of a running manager: checks the change, writes partitions.conf, applies it.
// File access happens on the requesting thread, so that a slow disk does not block the manager.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "service/partition_order.h"
#include "service/sm_board.h"
#include "sm/subnet_manager.h"

namespace weft {

class PartitionChanges {
 public:
  /// Timeouts; tests use shorter ones.
  struct Timeouts {
    std::chrono::milliseconds rest = std::chrono::seconds(20);     // until the current sweep ends
    std::chrono::milliseconds applied = std::chrono::seconds(60);  // until P_Key tables are written
  };
  PartitionChanges() = default;
  explicit PartitionChanges(const Timeouts& timeouts) : timeouts_(timeouts) {}

  /// Executes a change; blocks. Call from any thread but the manager's; concurrent calls are
  /// serialized. A failed call has changed nothing:
  ///   kRejected     this manager is not master, or has no file to write to;
  ///   kUsage        unknown partition or member, or a port that is not on the fabric;
  ///   kBadInput     the change is invalid;
  ///   kTimeout      the manager was busy for too long;
  ///   kEnvironment  the file cannot be read or written.
  Result<PartitionOutcome> carry_out(const PartitionOrder& order, const SmBoard::Posted& posted);

  /// Runs pending tasks on the manager's thread; call after each step of the manager, once its
  /// state is posted.
  void step(SubnetManager& sm);
  /// Ends waiting calls with a failure; step() is not called any more.
  void end();
  /// Called on the manager's thread after the partitions have changed.
  std::function<void(const PartitionFile& partitions)> on_change;

 private:
  /// Runs on the manager's thread at each step until it returns true.
  using Task = std::function<bool(SubnetManager& sm)>;
  struct Prepared;
  Status check(const Prepared& prepared, PartitionOutcome& outcome);
  void apply(const Prepared& prepared, PartitionOutcome& outcome);
  bool await(Task task, std::chrono::milliseconds timeout, bool withdraw);

  const Timeouts timeouts_{};
  std::mutex change_mutex_;  // held for a whole change
  std::mutex mutex_;
  std::condition_variable done_;
  std::vector<Task> tasks_;  // in order
  std::atomic<bool> pending_ = false;
  std::size_t finished_ = 0, begun_ = 0;  // tasks
  bool ended_ = false;
};

}  // namespace weft
