// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The performance manager as a state machine without threads or sleeping. Every sweep_time it reads
// the counters of all ports of the published subnet, with a bounded number of requests on the wire,
// and a small number to one agent. Each agent is queried for its capabilities until one query is
// answered (unless query_cpi is false), then every port for PortCounters and, if supported,
// PortCountersExtended. Counters close to their maximum are cleared. With ignore_cas only switches
// are read.
//   PerformanceManager pm(transport, clock, options);   pm.publish(snapshot);   pm.step();
#pragma once

#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gmp/agent_queue.h"
#include "gmp/counter_database.h"
#include "gmp/counter_store.h"
#include "gmp/error_rises.h"
#include "gmp/gmp_client.h"
#include "gmp/options.h"
#include "sm/sweep_report.h"

namespace weft {

class PerformanceManager {
 public:
  using WallClock = std::function<std::time_t()>;

  struct Counts {
    std::uint64_t sweeps = 0;   // sweeps completed
    std::uint64_t queries = 0;  // requests sent, without repetitions
    std::uint64_t silent = 0;   // requests without an answer
  };

  PerformanceManager(
      GmpTransport& transport, const Clock& clock, PerformanceOptions options,
      WallClock wall_clock = [] { return std::time(nullptr); });

  /// Sets the subnet to be read. Null means that the manager is not master; then no counters are
  /// read. A sweep in progress continues with the new subnet.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  void set_options(PerformanceOptions options);

  /// Processes received answers and sends requests up to the limit; does not wait for answers.
  /// Writes the database and the dump file at the end of a sweep.
  void step();
  /// Time of the next step() if nothing is received before.
  TimeNs next_event() const;

  /// Called at the end of a sweep, on the thread of step(), with the increases of error counters
  /// that ErrorRises::take() selects, if any. The first reading of a port adds no increases,
  /// because there are no earlier values.
  std::function<void(std::vector<ErrorRise>)> on_errors;
  /// Called at the end of each sweep, on the thread of step(), with the totals and the subnet read.
  std::function<void(const CounterStore& store, const Snapshot& snapshot, TimeNs now)> on_reading;

  bool is_sweeping() const { return stage_ != Stage::kSleeping; }
  std::size_t outstanding() const { return client_.outstanding(); }
  const PerformanceOptions& options() const { return options_; }
  const CounterStore& store() const { return store_; }
  const Counts& counts() const { return counts_; }

  // Console commands.
  void request_sweep() { next_sweep_ = clock_.now(); }
  void clear_counters();
  std::size_t forget_inactive() { return store_.forget_inactive(); }
  /// Writes event_db_dump_file atomically; the form for programs if `for_programs`. Fails with
  /// kUsage if event_db_dump_file is not set.
  Status dump(bool for_programs) const;
  /// One line for each redirection: "GUID port N: LID .., QP ..".
  std::string redirections() const;
  void clear_redirections();

 private:
  enum class Stage { kSleeping, kCapabilities, kCounters };
  enum class Query { kCapabilities, kCounters, kExtended, kClearErrors, kClearData };

  /// An agent and its port. A switch has one agent for all its ports, with port 0. A CA or router
  /// has an agent for each port.
  struct Agent {
    Guid node;
    PortNum port;
    auto operator<=>(const Agent&) const = default;
  };
  struct AgentState {
    std::optional<std::uint16_t> capabilities;
    std::optional<GmpAddress> redirected;
    bool silent = false;            // no answer or no usable redirection in this sweep
    std::optional<PortNum> logged;  // port with a logged failure of missing counters
  };
  struct Target {
    Agent agent;
    PortNum port;
  };
  struct Task {
    Target target;
    Query query{};
    bool redirected = false;  // sent to the address of a redirection
    std::uint16_t select = 0;
  };

  void begin_sweep();
  void mark_absent();
  void plan_capabilities();
  void plan_counters();
  void feed();
  bool send_query(const Task& task);
  void on_outcome(const Task& task, const std::optional<Gmp>& answer);
  void on_good(const Task& task, const Gmp& answer);
  void on_counters(const Task& task, const Gmp& answer);
  void on_extended(const Task& task, const Gmp& answer);
  void follow(const Task& task, const Gmp& answer);
  void mark_silent(const Task& task, const std::string& why);
  void report_failure(const Task& task, const std::string& why);
  void finish_stage();
  void end_sweep();
  void log_changes(const Target& target, const CounterStore::Change& change) const;
  std::string describe(const Target& target) const;
  EndportId endport_of(const Agent& agent) const;
  const Port* peer_of(Guid node, PortNum port) const;
  void report_errors();
  void open_database();

  const Clock& clock_;
  PerformanceOptions options_;
  WallClock wall_clock_;
  GmpClient client_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::optional<CounterDatabase> database_;
  CounterStore store_;
  ErrorRises rises_;
  std::map<Agent, AgentState> agents_;
  Counts counts_;

  Stage stage_ = Stage::kSleeping;
  TimeNs next_sweep_{0};
  AgentQueue<Agent, Task> queue_;  // tasks of the stage in progress
  std::map<std::uint64_t, Task> queries_;
  std::uint64_t last_ticket_ = 0;
};

}  // namespace weft
