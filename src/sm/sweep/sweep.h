// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sweep: a pipeline of stages. Updates use the same pipeline, without discovery and settings of
// devices; they read planes only of nodes with a changed HierarchyInfo or with FNM ports that were
// not read.
//
//   discover -> (election) -> clear changes -> read virtual ports -> read planes
//            -> program SHARP and port recovery -> read tables -> assign LIDs -> find routes
//            -> plan -> program -> publish
//
// A stage gets its input in its constructor or as a struct, sends its requests as SmpWork, and
// returns an output; Sweep passes the output to the next stage and keeps the report.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "sm/context.h"
#include "sm/devices/setting_programming.h"
#include "sm/discovery/local_changes.h"
#include "sm/election/mastership.h"
#include "sm/planes/plane_reading.h"
#include "sm/sweep/clear_changes.h"
#include "sm/sweep/discover.h"
#include "sm/sweep/find_routes.h"
#include "sm/sweep/plan.h"
#include "sm/sweep/program.h"
#include "sm/sweep/read_tables.h"
#include "sm/vports/vport_reading.h"

namespace weft {

class Sweep {
 public:
  /// Both references must outlive this object.
  Sweep(SmContext& sm, const Mastership& mastership) : sm_(sm), mastership_(mastership) {}

  /// Next action that the manager must take.
  enum class Event : std::uint8_t {
    kNone,      // call step() again while is_busy()
    kElection,  // hold the election; then continue_as_master(), discover_again(), abandon() or
                // nothing
    kFatal      // stop the manager with the error in fatal()
  };
  /// True while a stage is in progress: step() must be called.
  bool is_busy() const { return finish_ != nullptr; }
  Event step(TimeNs deadline);
  /// Drops work in progress.
  void cancel();

  /// Begins a heavy sweep, for the reason in the schedule.
  void begin_full();
  /// Begins a sweep with incremental discovery, for the changed switches in the schedule, if that
  /// is possible; otherwise requests a heavy sweep.
  void begin_incremental();
  /// Begins an update without discovery, which applies changes of multicast trees, alias GUIDs and
  /// P_Keys. With `reads_local_changes` it also reads the local changes of nodes (LocalChanges).
  void begin_update(const std::string& reason, bool reads_local_changes);

  // After the election
  Event continue_as_master();
  Event discover_again();
  Event abandon(const Error& error);

  /// Ends an update in progress, which a changed link may block: SMPs over that link get no
  /// answers. The parts that were not done stay requested. Has no effect while an update with
  /// changes of adaptive routing programs the subnet.
  void interrupt_update();

  /// True while the whole fabric is being discovered.
  bool is_discovering() const { return is_busy() && discovery_ && !discovery_->is_incremental(); }
  /// True if the discovery in progress will include a changed link; `sw`: the switch that reports
  /// the change, if known.
  bool takes_change(std::optional<Guid> sw);

  /// Heavy sweeps and sweeps with incremental discovery that ended, successful or not; sweeps that
  /// found another master are not counted.
  std::uint64_t heavy_sweeps() const { return heavy_sweeps_; }
  /// Updates that ended.
  std::uint64_t updates() const { return updates_; }
  const std::optional<Error>& fatal() const { return fatal_; }

 private:
  using Finish = Event (Sweep::*)();
  void run(SmpWork& work, Finish finish);
  void count_from_here(std::string reason);
  DiscoverStage::Input discovery_input();
  Event finish_discovery();
  Event finish_clearing();
  Event finish_reading_local_changes();
  Event read_vports();
  Event finish_reading_vports();
  Event read_planes();
  Event finish_reading_planes();
  Event program_settings(DevicePauses& pauses, SettingReport& report, Finish finish);
  void end_settings();
  Event configure_sharp();
  Event finish_configuring_sharp();
  Event configure_recovery();
  Event finish_configuring_recovery();
  Event read_tables();
  Event finish_reading_tables();
  Event finish_planning();
  Event finish_programming();
  void report_end(bool is_update, bool is_applied);
  void end();

  SmContext& sm_;
  const Mastership& mastership_;

  SmpWork* work_ = nullptr;
  Finish finish_ = nullptr;  // continuation after the stage in progress; null: no sweep
  bool is_update_ = false;
  bool clears_changes_ = false;  // the discovery clears PortStateChange
  SweepReport report_before_;    // report of the sweep before the update in progress
  TimeNs update_begun_{0};
  SmpCounts counts_before_;
  Stopwatch sweep_watch_;
  Stopwatch stage_watch_;
  std::uint64_t heavy_sweeps_ = 0;
  std::uint64_t updates_ = 0;
  std::optional<Error> fatal_;

  // The stages and their outputs
  std::optional<DiscoverStage> discovery_;
  std::optional<ChangeClearing> clearing_;
  std::optional<LocalChangeReading> local_changes_;
  std::optional<VportReading> vports_;
  std::optional<PlaneReading> planes_;
  std::unique_ptr<VendorSettings> settings_;
  std::optional<SettingProgramming> setting_programming_;
  LocalChanges changes_to_read_;  // changes that local_changes_ and vports_ read
  std::optional<ReadTablesStage> reading_;
  std::optional<PlanStage> planning_;
  std::optional<ProgramStage> programming_;
  ArConf ar_conf_;
  Verdict verdict_;
  std::optional<Dependencies> dependencies_;  // dependencies of the verdict
  PlanStage::Output planned_;
};

}  // namespace weft
