// A change of partitions on its way from who asks for it to the manager that runs: judged, written
// to the file, put in force. Files are read and written on the thread of who asks, so that a slow
// disk does not hold the manager.
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
  /// Times that tests shorten.
  struct Patience {
    std::chrono::milliseconds rest = std::chrono::seconds(20);     // for the end of a sweep
    std::chrono::milliseconds applied = std::chrono::seconds(60);  // for the P_Keys to be written
  };
  PartitionChanges() = default;
  explicit PartitionChanges(const Patience& patience) : patience_(patience) {}

  /// By any thread but the manager's; one after the other. Fails, with nothing changed, with
  ///   kRejected     this manager is not master, or has no file to write to;
  ///   kUsage        there is no such partition, member, or port on the fabric;
  ///   kBadInput     the change is refused;
  ///   kTimeout      the manager was busy for too long;
  ///   kEnvironment  the file cannot be read or written.
  Result<PartitionOutcome> carry_out(const PartitionOrder& order, const SmBoard::Posted& posted);

  /// By the manager's thread, after each of its steps, when all others have seen what it published.
  void step(SubnetManager& sm);
  /// Nobody will step any more; whoever waits is told so.
  void end();
  /// Other partitions are in force. On the manager's thread.
  std::function<void(const PartitionFile& partitions)> on_change;

 private:
  /// What the manager's thread does each time until it is true.
  using Task = std::function<bool(SubnetManager& sm)>;
  struct Prepared;
  Status judge(const Prepared& prepared, PartitionOutcome& outcome);
  void apply(const Prepared& prepared, PartitionOutcome& outcome);
  bool await(Task task, std::chrono::milliseconds patience, bool withdraw);

  const Patience patience_{};
  std::mutex asking_;  // held for a whole change
  std::mutex mutex_;
  std::condition_variable done_;
  std::vector<Task> tasks_;  // in order
  std::atomic<bool> pending_ = false;
  std::size_t finished_ = 0, begun_ = 0;  // tasks
  bool ended_ = false;
};

}  // namespace weft
