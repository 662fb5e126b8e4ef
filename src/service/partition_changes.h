// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes partitions of a running manager: checks the change, writes partitions.conf, and applies
// the change. Files are accessed on the requesting thread, so that a slow disk does not block the
// manager.
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
  /// Timeouts of a change.
  struct Timeouts {
    std::chrono::milliseconds rest = std::chrono::seconds(20);     // time until the sweep ends
    std::chrono::milliseconds applied = std::chrono::seconds(60);  // time until tables are written
  };
  PartitionChanges() = default;
  explicit PartitionChanges(const Timeouts& timeouts) : timeouts_(timeouts) {}

  /// Executes a change; blocks. Call from any thread except the thread of the manager; concurrent
  /// calls are serialized. Fails, without any change, with these codes:
  ///   kRejected     this manager is not master, or no partition file is configured;
  ///   kUsage        unknown partition or member, or a port that is not on the fabric;
  ///   kBadInput     the change is invalid;
  ///   kTimeout      the manager was busy for too long, has no snapshot yet, or has ended (step()
  ///                 is no longer called);
  ///   kEnvironment  the file cannot be read or written.
  Result<PartitionOutcome> carry_out(const PartitionOrder& order, const SmBoard::Posted& posted);

  /// Runs pending tasks. Call on the manager's thread after each step of the manager, when its
  /// state is posted.
  void step(SubnetManager& sm);
  /// Ends waiting calls. Call when step() will not be called again.
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
  std::vector<Task> tasks_;  // oldest first
  std::atomic<bool> pending_ = false;
  std::size_t finished_ = 0, begun_ = 0;  // number of tasks
  bool ended_ = false;
};

}  // namespace weft
