// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subnet manager as a state machine without sockets, threads or sleeping: discover, plan,
// apply, then watch for changes. Among several managers it is master or standby (election/).
//   SubnetManager sm(transport, clock, options);   while (!sm.settled()) sm.step();
//
// At most one activity is in progress: a sweep (sweep/sweep.h), the election and requests to other
// managers (election/mastership.h), a light sweep, or the disabling or enabling of a port
// (traps/traps.h). step() executes a part of the activity; between activities watch() selects the
// next activity.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ib/notice.h"
#include "ib/sm_info.h"
#include "ib/transport.h"
#include "sm/adaptive/group_numbering.h"
#include "sm/discovery/smp_client.h"
#include "sm/election/other_managers.h"
#include "sm/group_changes.h"
#include "sm/health/port_health.h"
#include "sm/keys/key_files.h"
#include "sm/lids/alias_guids.h"
#include "sm/lids/guid2lid.h"
#include "sm/load/load_trial.h"
#include "sm/load/weight_file.h"
#include "sm/occurrence.h"
#include "sm/options.h"
#include "sm/partitions/pkey_forecast.h"
#include "sm/programming/reregistration.h"
#include "sm/sweep_report.h"

namespace weft {

class GeneralInfoRetry;
class LightSweep;
class ReasonReading;
class Mastership;
class Sweep;
class Traps;
struct SmContext;
struct TrapReaction;

class SubnetManager {
 public:
  using RegisteredPort = Reregistrations::Key;

  /// `transport` and `clock` must outlive the manager; the options are copied. References that the
  /// manager returns are valid for its lifetime, but step() and requests change their objects;
  /// snapshots are immutable and shared. All calls must come from one thread.
  SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options);
  ~SubnetManager();

  /// Executes a part of the activity in progress and waits for MADs, at most until `deadline` if
  /// nothing else is due.
  void step(TimeNs deadline);
  void step();

  /// True once the first sweep has ended and no activity is in progress or requested. Also true
  /// while another manager is master or this manager is NOTACTIVE, and after stop().
  bool settled() const;
  /// True if the next light sweep is replaced by a heavy sweep because of a trap, of a capability
  /// mask that could not be read, of refused HBF with divided groups, or of a possibly late Set. If
  /// only stray answers indicate a late Set, a later light sweep may be replaced (DoubtfulSets).
  bool heavy_sweep_due() const;

  /// Requests a heavy sweep. Has no effect on a manager that is neither master nor discovering.
  void request_heavy_sweep(std::string why);
  /// Requests a heavy sweep that also reads the tables of all nodes and all attributes of virtual
  /// ports again, repeats queries of capabilities, planes and virtual ports that devices did not
  /// answer, and repeats Sets of values that ports did not store.
  void request_full_discovery(std::string why);
  /// Sets options from files that were read again. Settings of ports and switches and the inputs of
  /// routing apply from the next sweep or update; the other options apply at once, such as the
  /// priority, the M_Keys for requests, intervals, and the options of unhealthy ports.
  /// reassign_lids, the manager's own ports, and the limits and timeouts of SMPs do not change.
  void set_options(SmOptions options);
  const SmOptions& options() const;
  /// Load-aware routing: if the gain of the trial reaches the threshold, requests a heavy sweep
  /// that routes with the weights of the trial, and returns true. The manager must be at rest.
  bool take_load_trial(const LoadTrial& trial);
  const LoadAwareCounts& load_aware_counts() const { return load_aware_; }
  /// Sets members of multicast LIDs, in addition to those in the options. After a change the trees
  /// are computed again when the sweep in progress has ended; successive changes share one
  /// computation.
  void set_multicast_groups(std::vector<FiledGroup> groups);
  void change_multicast_groups(GroupChanges changes);
  /// Sets the alias GUIDs of ports. They are written when the sweep in progress has ended.
  void set_alias_guids(AliasGuids aliases);

  // Changes of partitions while the manager runs
  const PartitionFile& partitions() const;
  /// True if this manager is master and has programmed routes, no activity is in progress, no link
  /// is retraining, and no sweep is requested or sweeps are off.
  bool at_rest() const;
  using PkeyForecast = weft::PkeyForecast;
  /// Forecasts the effect of replacing the partitions. The manager must be at rest.
  PkeyForecast forecast_partitions(const PartitionFile& partitions) const;
  /// Begins an update that writes the P_Keys that differ and publishes a snapshot, without
  /// discovery or unicast routing. The port groups in `partitions` are ignored: the current port
  /// groups are kept. The manager must be at rest. When the update ends, updates() increases.
  void set_partitions(PartitionFile partitions, PartitionsChanged event);

  /// Stops sending and leaves the activity in progress incomplete. Answers to outstanding SMPs are
  /// received for at most one timeout, so that the next user of the device does not receive them.
  /// Afterwards step() does nothing. The fabric keeps its tables.
  void stop();
  bool stopped() const;
  /// The error that stopped the manager (exit_on_fatal).
  const std::optional<Error>& fatal() const;

  // Requests of the administrator
  void request_light_sweep();
  /// Computes all routes again, even if nothing has changed.
  void request_reroute();
  /// If `on` is false, no sweeps begin: neither periodic sweeps, nor sweeps caused by traps or
  /// requests; requests are kept.
  void set_sweeping(bool on);
  bool is_sweeping() const;
  void set_priority(std::uint8_t priority);
  /// Ends the action on an unhealthy port, which is given by either end of its cable. False if the
  /// port is not unhealthy.
  bool mark_healthy(Guid node, PortNum port);
  const PortHealth::Ports& unhealthy_ports() const;
  /// Hands over to the standby of the highest rank (priority, then port GUID); stops at once if
  /// this manager is not master or no other manager is known. The caller must call step() while
  /// stopping(). Afterwards either a standby has acknowledged, and this manager is STANDBY, or no
  /// standby has acknowledged, and this manager is stopped().
  void stop_after_handover();
  bool stopping() const;
  /// Hands over to the standby of the highest rank when no activity is in progress, and continues
  /// as standby, with priority 0 in its SMInfo until it is master again or its priority is set.
  void hand_over();

  /// Heavy sweeps and sweeps with incremental discovery that ended, successful or not; sweeps that
  /// found another master are not counted.
  std::uint64_t heavy_sweeps() const;
  /// Light sweeps that have begun.
  std::uint64_t light_sweeps() const { return light_sweeps_; }
  /// Updates between heavy sweeps that ended: changes of multicast trees, partitions, alias GUIDs,
  /// virtual ports, names, capabilities and planes.
  std::uint64_t updates() const;
  /// Report of the sweep or update in progress, otherwise of the last sweep or update.
  const SweepReport& last_report() const;
  /// Result of the last sweep or update that was completed, also while another one is in progress;
  /// not up after the mastership was lost.
  const SweepResult& last_result() const;
  /// Null until a sweep has programmed routes, and while not master.
  std::shared_ptr<const Snapshot> snapshot() const;
  SmState state() const;
  std::uint8_t priority() const;
  /// GUID of the manager's port, once it is known.
  std::optional<Guid> own_guid() const;
  /// Managers that have answered; `silent` marks those that did not answer the last query.
  const std::vector<OtherManager>& others() const;
  const SmpCounts& smp_counts() const;

  // Replication between managers
  /// State that a master keeps in files.
  LidMemory lids() const;
  KeyMemory m_keys() const;
  NeighborMemory neighbors() const;
  WeightMemory measured_weights() const;
  GroupNumberMemory group_numbers() const;
  /// Ports with registrations that are known or were requested by this manager.
  const std::set<RegisteredPort>& registered_ports() const;
  /// For a manager that becomes master: these ports need not register again.
  void inherit_registrations(std::set<RegisteredPort> ports);
  /// For a standby: reads the files of persistent state again after they were replaced.
  void recall_files();
  struct PolledManager {
    Guid guid;
    TimeNs alive_at{0};  // latest time at which the manager is known to run
  };
  /// The manager that this standby polls, or polled before the takeover.
  std::optional<PolledManager> polled_manager() const;
  /// For a standby: queries the master when no activity is in progress, in addition to the regular
  /// polls.
  void query_polled_manager();
  /// For a master: queries the known managers when no activity is in progress, not only after the
  /// next light sweep. Also queries the port with this GUID, on which a manager runs.
  void query_manager(Guid port);
  /// For a master: sets the check whether a standby of higher rank, given by its port GUID, may
  /// become master now. The check is called at each election; a handover by request does not depend
  /// on it.
  void set_successor_check(std::function<bool(Guid)> may_succeed);

  /// Occurrences since the last call.
  std::vector<Occurrence> take_occurrences();
  bool has_occurrences() const;
  /// Traps since the last call, to be forwarded to subscribers.
  std::vector<Notice> take_traps();
  std::size_t occurrences_lost() const;

 private:
  bool is_idle() const;
  void cancel();
  void step_mastership(TimeNs deadline);
  void step_sweep(TimeNs deadline);
  void watch(TimeNs deadline);
  void begin_light_sweep();
  void finish_light_sweep();
  void begin_update();
  void answer_unsolicited();
  void react(const TrapReaction& reaction);
  void note_local_change(const TrapReaction& reaction);
  void on_port_change(const std::string& what, std::optional<Guid> sw);

  const std::unique_ptr<SmContext> sm_;
  const std::unique_ptr<Mastership> mastership_;
  const std::unique_ptr<Traps> traps_;
  const std::unique_ptr<Sweep> sweep_;
  std::unique_ptr<GeneralInfoRetry> general_info_retry_;  // a part of the light sweep
  std::unique_ptr<ReasonReading> reason_reading_;         // a part of the light sweep
  std::unique_ptr<LightSweep> light_;
  std::uint64_t light_sweeps_ = 0;
  bool handover_due_ = false;
  std::optional<Guid> manager_to_query_;
  LoadAwareCounts load_aware_;
};

}  // namespace weft
