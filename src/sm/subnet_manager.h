// The subnet manager as a state machine without sockets, threads or sleeping: observe, plan, apply,
// then watch.
//   SubnetManager sm(transport, clock, options);   while (!sm.settled()) sm.step();
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ib/transport.h"
#include "sm/apply.h"
#include "sm/desired.h"
#include "sm/guid2lid.h"
#include "sm/held_tables.h"
#include "sm/light_sweep.h"
#include "sm/observe.h"
#include "sm/options.h"
#include "sm/smp_client.h"

namespace weft {

/// What one heavy sweep did, for reports and metrics.
struct SweepReport {
  bool up = false;    // the subnet is up: verified routes are in, and every SMP was answered well
  std::string error;  // why not; empty otherwise
  SmpCounts smps;     // of this sweep
  ApplyReport applied;
  std::vector<EngineAttempt> engines_failed;
  std::vector<std::string> warnings;
  struct {
    double observe = 0, read_tables = 0, lids = 0, route = 0, verify = 0, diff = 0, apply = 0;
  } seconds;  // of real time
};

/// What a finished sweep publishes: immutable, shared with whoever asks.
struct Snapshot {
  Fabric fabric;
  Routes routes;
  Verdict verdict;
  EndportId sm = kNoEndport;  // where the manager sits
  std::uint64_t sweep = 0;    // counts heavy sweeps
};

class SubnetManager {
 public:
  SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options);
  ~SubnetManager();

  /// Does a piece of work and waits for arrivals, until `deadline` at most where there is nothing
  /// else to do.
  void step(TimeNs deadline);
  void step() { step(clock_.now() + kIdleStep); }

  /// True once the first sweep is over and nothing is in progress or asked for.
  bool settled() const { return stage_ == Stage::kWatching && !heavy_wanted_ && sweeps_ > 0; }

  void request_heavy_sweep(std::string why);
  /// New routing inputs, from files that were read again; the next heavy sweep uses them.
  void set_routing(RoutingInputs inputs) { options_.routing = std::move(inputs); }

  std::uint64_t heavy_sweeps() const { return sweeps_; }
  const SweepReport& last_report() const { return report_; }
  /// Null until a sweep has brought the subnet up.
  std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }

 private:
  static constexpr TimeNs kIdleStep = std::chrono::milliseconds(100);
  enum class Stage { kDiscovering, kReadingTables, kApplying, kLightSweep, kWatching };

  void begin_discovery();
  void finish_discovery();
  void plan_and_apply();
  void finish_sweep();
  void abandon_sweep(const Error& error);
  void begin_light_sweep();
  void finish_light_sweep();
  void watch(TimeNs deadline);
  void answer_unsolicited();
  void answer_sm_info(const Smp& request);
  void repress_trap(const Smp& trap);
  void recall_lids();
  void keep_lids();
  std::string guid2lid_path() const;

  const Clock& clock_;
  SmOptions options_;
  SmpClient client_;

  Stage stage_ = Stage::kWatching;
  bool heavy_wanted_ = true;
  TimeNs next_light_{0};
  std::optional<TimeNs> retry_at_;  // a failed sweep is done again
  std::uint64_t sweeps_ = 0;
  bool first_as_master_ = true;
  std::uint32_t activity_count_ = 0;

  // Of the sweep in progress
  std::unique_ptr<Discovery> discovery_;
  std::optional<Observed> observed_;
  std::unique_ptr<TableReading> reading_;
  std::unique_ptr<Desired> desired_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Applying> applying_;
  std::unique_ptr<LightSweep> light_;
  Verdict verdict_;
  SweepReport report_;
  SmpCounts counts_before_;
  Stopwatch stage_watch_;

  // From sweep to sweep
  std::optional<LidMemory> lids_;
  HeldTables held_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace weft
