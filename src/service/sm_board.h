// Where the subnet manager's thread and everybody else meet: it pins up what is to be seen, they
// pin up what they ask for. Neither waits for the other beyond the copy of a few words.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ib/ids.h"
#include "ib/performance.h"
#include "ib/sm_info.h"
#include "sa/server.h"
#include "service/cable_order.h"
#include "service/desk.h"
#include "service/history_meter.h"
#include "service/partition_order.h"
#include "service/settings.h"
#include "service/sm_tally.h"
#include "sm/smp_client.h"
#include "sm/subnet_manager.h"
#include "sm/sweep_report.h"

namespace weft {

struct ManagerSeen {
  Guid guid;
  SmState state = SmState::kNotActive;
  std::uint8_t priority = 0;
  bool self = false;
  Guid node{};         // 0: not known where it is
  std::string name{};  // of the node
  PortNum port{};
  Lid lid{};
  bool operator==(const ManagerSeen&) const = default;
};

/// What the manager says of itself, at one moment.
struct SmStatus {
  SmState state = SmState::kDiscovering;
  std::uint8_t priority = 0;
  bool sweeping = true;
  std::uint64_t heavy_sweeps = 0;
  bool up = false;    // after the last of them
  std::string error;  // why not
  SmpCounts smps;
  std::vector<ManagerSeen> managers;  // the own one first
  unsigned log_flags = 0;
  SmTally tally;
  bool operator==(const SmStatus&) const = default;
};

SmStatus status_of(const SubnetManager& sm);

/// What the manager's thread is asked to do between two of its steps.
struct SmRequest {
  enum class Kind { kHeavySweep, kLightSweep, kReroute, kSweeping, kPriority, kLogFlags };
  Kind kind = Kind::kHeavySweep;
  enum class By { kConsole, kHttp };
  unsigned value = 0;  // of kSweeping (0 or 1), kPriority, kLogFlags
  By by = By::kConsole;
  bool operator==(const SmRequest&) const = default;
};

/// Counters of one port since they were first read.
struct PortCounts {
  Guid node;
  PortNum port;
  CounterValues total{};
  std::int64_t read_at = 0;  // when its data were last read, seconds since 1970
};
using PortCountsTable = std::shared_ptr<const std::vector<PortCounts>>;  // by node and port

class SmBoard {
 public:
  static constexpr std::size_t kRequestsMax = 256;

  struct Posted {
    SmStatus status;
    std::shared_ptr<const Snapshot> snapshot;  // may be null
    std::shared_ptr<const Settings> settings;  // never null
  };

  /// Carries out what the console says to the performance manager, and answers.
  using PerformanceDesk = std::function<std::string(std::vector<std::string> words)>;

  explicit SmBoard(const Settings& settings);

  /// Null: there is no performance manager, or not any more. Waits for a call that is under way.
  void set_performance_desk(PerformanceDesk desk);
  /// Nothing where there is no performance manager.
  std::optional<std::string> ask_performance(std::vector<std::string> words);

  /// Looks at the subnet administration, on its own thread. False: it had no time for that.
  Desk<bool(std::function<void(const SaServer&)>)> sa_desk;
  /// What the performance manager has counted; null: it had no time to say.
  Desk<PortCountsTable()> counters_desk;
  /// Carries out a change of partitions, which may take as long as a sweep.
  Desk<Result<PartitionOutcome>(PartitionOrder)> partitions_desk;
  /// Cuts, mends and lists cables of an emulated fabric; fails with kRejected on a real one.
  Desk<Result<CableOutcome>(CableOrder)> cables_desk;
  /// What the subnet administration counts; null: there is none.
  void set_sa_meter(std::shared_ptr<const sa::Meter> meter);
  std::shared_ptr<const sa::Meter> sa_meter() const;
  /// What the history's writer counts; null: there is no history.
  void set_history_meter(std::shared_ptr<const HistoryMeter> meter);
  std::shared_ptr<const HistoryMeter> history_meter() const;

  void post(SmStatus status, std::shared_ptr<const Snapshot> snapshot);
  void post(const Settings& settings);
  Posted read() const;

  /// False where too much is asked for already.
  bool ask(const SmRequest& request);
  /// Cheap where nobody asked.
  std::vector<SmRequest> take_requests();

 private:
  mutable std::mutex mutex_;
  Posted posted_;
  std::vector<SmRequest> requests_;
  std::shared_ptr<const sa::Meter> sa_meter_;
  std::shared_ptr<const HistoryMeter> history_meter_;
  std::atomic<bool> asked_ = false;

  std::mutex desk_mutex_;  // held while somebody is there
  PerformanceDesk desk_;
};

}  // namespace weft
