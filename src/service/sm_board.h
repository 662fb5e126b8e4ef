// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State shared between the thread of the subnet manager and other threads, such as those of
// console, HTTP and history. The manager posts its status and snapshot; the other threads add
// requests. The mutex is held only to copy pointers and small values.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/threads/shared_value.h"
#include "gmp/congestion_meter.h"
#include "ib/ids.h"
#include "ib/performance.h"
#include "ib/sm_info.h"
#include "sa/server.h"
#include "service/alarms/alarm_service.h"
#include "service/cable_order.h"
#include "service/config/settings.h"
#include "service/history/history_meter.h"
#include "service/partition_order.h"
#include "service/replication/replication.h"
#include "service/sm_tally.h"
#include "service/sync_call.h"
#include "sm/discovery/smp_client.h"
#include "sm/health/port_health.h"
#include "sm/subnet_manager.h"
#include "sm/sweep_report.h"

namespace weft {

struct ManagerStatus {
  Guid guid;
  SmState state = SmState::kNotActive;
  std::uint8_t priority = 0;
  bool self = false;
  Guid node{};         // node GUID; 0: unknown
  std::string name{};  // name of the node
  PortNum port{};
  Lid lid{};
  bool operator==(const ManagerStatus&) const = default;
};

/// Status of the subnet manager.
struct SmStatus {
  SmState state = SmState::kDiscovering;
  std::uint8_t priority = 0;
  bool sweeping = true;
  std::uint64_t heavy_sweeps = 0;
  bool up = false;    // result of the last completed sweep or update
  std::string error;  // reason why the subnet is not up
  SmpCounts smps;
  std::vector<ManagerStatus> managers;  // this manager first, then the others that respond
  unsigned log_flags = 0;
  SmTally tally;
  /// Never null.
  std::shared_ptr<const PortHealth::Ports> unhealthy_ports =
      std::make_shared<const PortHealth::Ports>();
  bool operator==(const SmStatus&) const = default;
};

SmStatus status_of(const SubnetManager& sm);

/// A request that the manager's thread executes between two steps.
struct SmRequest {
  enum class Kind {
    kHeavySweep,
    kLightSweep,
    kReroute,
    kSweeping,
    kPriority,
    kLogFlags,
    kHandOver,
    kMarkHealthy
  };
  Kind kind = Kind::kHeavySweep;
  enum class By { kConsole, kHttp };
  unsigned value = 0;  // argument of kSweeping (0 or 1), kPriority or kLogFlags
  By by = By::kConsole;
  CableEnd end{};  // port for kMarkHealthy
  bool operator==(const SmRequest&) const = default;
};

/// Counter totals of a port since its first reading, or since the totals were cleared.
struct PortCounts {
  Guid node;
  PortNum port;
  CounterValues total{};
  std::int64_t read_at = 0;  // time of the last reading of the data counters, seconds since 1970
};
using PortCountsTable = std::shared_ptr<const std::vector<PortCounts>>;  // sorted by node and port

class JobBook;

class SmBoard {
 public:
  static constexpr std::size_t kRequestsMax = 256;

  struct Posted {
    SmStatus status;
    std::shared_ptr<const Snapshot> snapshot;  // may be null
    std::shared_ptr<const Settings> settings;  // never null
  };

  /// Executes a console command of the performance manager and returns its output.
  using PerformanceHandler = std::function<std::string(std::vector<std::string> words)>;

  explicit SmBoard(const Settings& settings);

  /// Registers the handler; an empty handler unregisters it. Blocks while a call runs.
  void set_performance_handler(PerformanceHandler handler);
  /// Runs a console command of the performance manager and returns its output; empty if there is no
  /// performance manager.
  std::optional<std::string> run_performance_command(std::vector<std::string> words);

  /// Runs a function on the thread of the subnet administration. Returns false on a timeout.
  SyncCall<bool(std::function<void(const SaServer&)>)> sa_access;
  /// Returns the counters of the performance manager; null on a timeout.
  SyncCall<PortCountsTable()> counters_source;
  /// Changes partitions; may take as long as a sweep.
  SyncCall<Result<PartitionOutcome>(PartitionOrder)> partitions_handler;
  /// Disconnects, reconnects and lists links of an emulated fabric. Fails with kRejected if the
  /// fabric is not emulated.
  SyncCall<Result<CableOutcome>(CableOrder)> cables_handler;
  /// Statistics of the subnet administration; null if it does not run.
  SharedValue<std::shared_ptr<const sa::Meter>> sa_meter;
  /// Statistics of the history writer; null: no history.
  SharedValue<std::shared_ptr<const HistoryMeter>> history_meter;
  /// Statistics of congestion control; null: disabled.
  SharedValue<std::shared_ptr<const CongestionMeter>> congestion_meter;
  /// Path of the counter database of the performance manager; empty: no database.
  SharedValue<std::string> counter_database;
  /// The alarms of ports, null without a performance manager, and the statistics of their
  /// receivers. Set before other threads start.
  std::shared_ptr<AlarmBook> alarms;
  std::vector<std::shared_ptr<const DeliveryMeter>> alarm_receivers;

  /// The jobs of the cluster's scheduler.
  const std::shared_ptr<JobBook> jobs;

  /// Replication between managers; null if it is not configured.
  SharedValue<std::shared_ptr<replication::Replication>> replication;

  void post(SmStatus status, std::shared_ptr<const Snapshot> snapshot);
  void post(const Settings& settings);
  Posted read() const;

  /// Adds a request. Returns false if kRequestsMax requests are pending.
  bool add_request(const SmRequest& request);
  /// Returns and removes the pending requests; cheap if there are none.
  std::vector<SmRequest> take_requests();

 private:
  mutable std::mutex mutex_;
  Posted posted_;
  std::vector<SmRequest> requests_;
  std::atomic<bool> has_requests_ = false;

  std::mutex performance_mutex_;  // held during a call
  PerformanceHandler performance_handler_;
};

}  // namespace weft
