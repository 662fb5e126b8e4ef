// The managers that speak GMPs beside a subnet manager: the performance manager and congestion
// control. They see what it published last.
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
  /// A transport is null where its manager is not wanted. `own_threads`: not on an emulation.
  GmpManagers(GmpTransport* counters, GmpTransport* congestion, const Clock& clock,
              bool own_threads, const PerformanceOptions& performance,
              const CongestionOptions& settings);

  /// Where error counters that rose are reported, from whichever thread reads them. Before step().
  void report_errors_to(std::function<void(std::vector<ErrorRise>)> take);
  /// After each step of the subnet manager.
  void step(const SubnetManager& sm);
  /// The console's desk for the performance manager; null where there is none. For another thread
  /// than that of step(), which must go on meanwhile.
  SmBoard::PerformanceDesk performance_desk();
  /// What has been counted; null where there is no performance manager. Likewise.
  std::function<PortCountsTable()> counters_desk();
  void set_options(const PerformanceOptions& performance, const CongestionOptions& settings);

 private:
  const bool own_threads_;
  std::shared_ptr<const Snapshot> published_;
  std::unique_ptr<ManagerHost<PerformanceManager>> performance_;
  std::unique_ptr<ManagerHost<CongestionManager>> congestion_;
};

}  // namespace weft::cli
