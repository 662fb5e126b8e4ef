// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The managers that use GMPs, run beside the subnet manager: the performance manager and congestion
// control. They work on the last published snapshot.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gmp/congestion_manager.h"
#include "gmp/manager_host.h"
#include "gmp/performance_manager.h"
#include "service/sm_board.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

class GmpManagers {
 public:
  /// A null transport disables its manager. `own_threads`: false on an emulated fabric.
  GmpManagers(GmpTransport* counters, GmpTransport* congestion, const Clock& clock,
              bool own_threads, const PerformanceOptions& performance,
              const CongestionOptions& settings);

  /// Sets the receiver of error counter increases, called on the thread that reads the counters.
  /// Called before the first step().
  void report_errors_to(std::function<void(std::vector<ErrorRise>)> take);
  /// Sets the receiver of readings, with the same rules.
  void report_readings_to(decltype(PerformanceManager::on_reading) take);
  /// After each step of the subnet manager.
  void step(const SubnetManager& sm);
  /// The console's interface to the performance manager; null without one. Called from another
  /// thread than step(), which must continue to run meanwhile.
  SmBoard::PerformanceHandler performance_desk();
  /// Reads the port counters, with the same threading rule; null without a performance manager.
  std::function<PortCountsTable()> counters_source();
  void set_options(const PerformanceOptions& performance, const CongestionOptions& settings);

 private:
  const bool own_threads_;
  std::shared_ptr<const Snapshot> published_;
  std::unique_ptr<ManagerHost<PerformanceManager>> performance_;
  std::unique_ptr<ManagerHost<CongestionManager>> congestion_;
};

}  // namespace weft::cli
