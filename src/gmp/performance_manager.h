// The performance manager as a state machine without threads or sleeping: reads the counters of all
// ports of the subnet that was last published, every sweep_time, with a bounded number of questions
// on the wire. An agent is asked once what it can count; then every port for PortCounters, and for
// PortCountersExtended where it has them. Counters that come near their end are cleared.
//   PerformanceManager pm(transport, clock, options);   pm.publish(snapshot);   pm.step();
#pragma once

#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

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
    std::uint64_t sweeps = 0;   // that came to an end
    std::uint64_t queries = 0;  // questions, without repetitions
    std::uint64_t silent = 0;   // of them without an answer
  };

  PerformanceManager(
      GmpTransport& transport, const Clock& clock, PerformanceOptions options,
      WallClock wall_clock = [] { return std::time(nullptr); });

  /// What is read from now on; null: nothing, as by a manager that is not master. A sweep that is
  /// in progress goes on with it.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  void set_options(PerformanceOptions options);

  /// Takes in what has arrived and does what is due; never waits.
  void step();
  /// When step() has something to do, if nothing comes before.
  TimeNs next_event() const;

  /// Called at the end of a reading with the error counters that rose, if any did: on the thread of
  /// step(). The first reading of a port reports nothing, since nothing is known of before.
  std::function<void(std::vector<ErrorRise>)> on_errors;

  bool sweeping() const { return stage_ != Stage::kSleeping; }
  std::size_t outstanding() const { return client_.outstanding(); }
  const PerformanceOptions& options() const { return options_; }
  const CounterStore& store() const { return store_; }
  const Counts& counts() const { return counts_; }

  // The console's commands.
  void request_sweep() { next_sweep_ = clock_.now(); }
  void clear_counters();
  std::size_t forget_inactive() { return store_.forget_inactive(); }
  /// Writes event_db_dump_file, whole or not at all.
  Status dump(bool for_programs) const;
  /// "GUID port N: to LID .., QP .." a line each.
  std::string redirections() const;
  void clear_redirections();

 private:
  enum class Stage { kSleeping, kCapabilities, kCounters };
  enum class Question { kCapabilities, kCounters, kExtended, kClearErrors, kClearData };

  /// One that answers for ports: a switch for all of its ports (port 0 stands for them), a CA or
  /// router behind each port.
  struct Agent {
    Guid node;
    PortNum port;
    auto operator<=>(const Agent&) const = default;
  };
  struct Knowledge {
    std::optional<std::uint16_t> capabilities;
    std::optional<GmpAddress> redirected;
    bool silent = false;           // in this sweep
    std::optional<PortNum> named;  // it was said that counters of this port do not come
  };
  struct Target {
    Agent agent;
    PortNum port;
  };
  struct Task {
    Target target;
    Question question{};
    bool redirected = false;  // it follows a redirection already
    std::uint16_t select = 0;
  };

  void begin_sweep();
  void mark_absent();
  void plan_capabilities();
  void plan_counters();
  void feed();
  bool next_task(Task& task);
  void ask(const Task& task);
  void on_outcome(const Task& task, const std::optional<Gmp>& answer);
  void on_good(const Task& task, const Gmp& answer);
  void on_counters(const Task& task, const Gmp& answer);
  void on_extended(const Task& task, const Gmp& answer);
  void follow(const Task& task, const Gmp& answer);
  void went_silent(const Task& task, const std::string& why);
  void complain(const Task& task, const std::string& why);
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
  std::map<Agent, Knowledge> agents_;
  Counts counts_;

  Stage stage_ = Stage::kSleeping;
  TimeNs next_sweep_{0};
  std::vector<Target> targets_;  // of the stage, in order of GUID and port
  std::size_t next_target_ = 0;
  std::deque<Task> follow_ups_;  // before the next target
  std::map<std::uint64_t, Task> asked_;
  std::uint64_t last_ticket_ = 0;
};

}  // namespace weft
