// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The managers that use GMPs, in the process of the subnet manager: the performance manager,
// congestion control with its keys, and the keys of vendor-specific classes. Each manager uses the
// last published snapshot.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gmp/class_key_manager.h"
#include "gmp/congestion_manager.h"
#include "gmp/congestion_meter.h"
#include "gmp/manager_host.h"
#include "gmp/performance_manager.h"
#include "service/sm_board.h"
#include "sm/subnet_manager.h"

namespace weft::cli {

/// A null transport disables its manager.
struct GmpTransports {
  GmpTransport* counters = nullptr;
  GmpTransport* congestion = nullptr;
  GmpTransport* vendor_keys = nullptr;
  GmpTransport* node_keys = nullptr;
};

struct GmpOptions {
  PerformanceOptions performance;
  CongestionOptions congestion;
  ClassKeyOptions vendor_keys;
  ClassKeyOptions node_keys;
};

class GmpManagers {
 public:
  /// `own_threads`: each manager has its own thread; false on an emulated fabric.
  GmpManagers(const GmpTransports& transports, const Clock& clock, bool own_threads,
              const GmpOptions& options);

  /// Sets the receiver of error counter increases, which is called on the thread that reads the
  /// counters. Call this function before the first step().
  void report_errors_to(std::function<void(std::vector<ErrorRise>)> take);
  /// Sets the receiver of readings, as report_errors_to() does.
  void report_readings_to(decltype(PerformanceManager::on_reading) take);
  /// Call after each step of the subnet manager.
  void step(const SubnetManager& sm);
  /// The console's interface to the performance manager; null without a performance manager. The
  /// handler waits up to 5 s for the answer. It is called on another thread than step(), which must
  /// continue to run during the call.
  SmBoard::PerformanceHandler performance_handler();
  /// A function that reads the counters of the ports of active nodes, called on threads as the
  /// handler of performance_handler() is. It returns null if the performance manager does not
  /// answer within 2 s. The function is null without a performance manager.
  std::function<PortCountsTable()> counters_source();
  /// Statistics of congestion control; null if congestion control has no transport.
  std::shared_ptr<const CongestionMeter> congestion_meter() const { return congestion_meter_; }
  void set_options(const GmpOptions& options);

 private:
  template <KeyedClass kKeyed>
  class KeysOf final : public ClassKeyManager {
   public:
    KeysOf(GmpTransport& transport, const Clock& clock, const ClassKeyOptions& options)
        : ClassKeyManager(kKeyed, transport, clock, options) {}
  };
  const bool own_threads_;
  std::shared_ptr<const Snapshot> published_;
  std::unique_ptr<ManagerHost<PerformanceManager>> performance_;
  const std::shared_ptr<CongestionMeter> congestion_meter_;
  std::unique_ptr<ManagerHost<CongestionManager>> congestion_;
  std::unique_ptr<ManagerHost<KeysOf<KeyedClass::kVendor>>> vendor_keys_;
  std::unique_ptr<ManagerHost<KeysOf<KeyedClass::kNodeToNode>>> node_keys_;
};

}  // namespace weft::cli
