// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subnet manager as a state machine without sockets, threads or sleeping: discover, plan,
// apply, then watch for changes. Among several managers it is master or standby (election/).
//   SubnetManager sm(transport, clock, options);   while (!sm.settled()) sm.step();
//
// At any time one activity is in progress, or none: a sweep (sweep/sweep.h), the election and
// requests to other managers (election/mastership.h), a light sweep, or the disabling of a port
// (traps/traps.h). step() does a piece of it; between activities watch() selects the next one.
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

class LightSweep;
class Mastership;
class Sweep;
class Traps;
struct SmContext;
struct TrapReaction;

class SubnetManager {
 public:
  using RegisteredPort = Reregistrations::Key;

  /// `transport` and `clock` must outlive the manager; the options are copied. What it returns by
  /// reference lives as long as the manager, but changes with step() and with requests; snapshots
  /// never change, and live as long as they are held. All calls come from one thread.
  SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options);
  ~SubnetManager();

  /// Does one piece of work and waits for MADs, at most until `deadline` when nothing else is due.
  void step(TimeNs deadline);
  void step();

  /// True once the first sweep has ended and no work is in progress or requested; while another
  /// manager is master or this one is NOTACTIVE; and after stop().
  bool settled() const;
  /// The next sweep is a heavy one: a trap or a possibly late Set requires it.
  bool heavy_sweep_due() const;

  /// Only a master or discovering manager sweeps; in other states this has no effect.
  void request_heavy_sweep(std::string why);
  /// A heavy sweep that also reads the tables of all nodes and all attributes of virtual ports
  /// again, queries devices again that did not answer, and repeats Sets of values that ports did
  /// not keep.
  void request_full_look(std::string why);
  /// Options from files that were read again. The next heavy sweep uses them; the priority applies
  /// at once. Limits and timeouts of SMPs do not change.
  void set_options(SmOptions options);
  const SmOptions& options() const;
  /// Load-aware routing: changes the routes, and returns true, if the gain of the trial reaches the
  /// threshold. The manager must be at rest.
  bool take_load_trial(const LoadTrial& trial);
  const LoadAwareCounts& load_aware_counts() const { return load_aware_; }
  /// Members of multicast LIDs, in addition to those in the options. After a change the trees are
  /// computed again once the sweep in progress ends; successive changes share one computation.
  void set_multicast_groups(std::vector<FiledGroup> groups);
  void change_multicast_groups(GroupChanges changes);
  /// The same for alias GUIDs.
  void set_alias_guids(AliasGuids aliases);

  // Partitions that change while the manager runs
  const PartitionFile& partitions() const;
  /// True for a master between two sweeps with no pending work.
  bool at_rest() const;
  using PkeyForecast = weft::PkeyForecast;
  /// Effect of replacing the partitions. The manager must be at rest.
  PkeyForecast forecast_partitions(const PartitionFile& partitions) const;
  /// The manager must be at rest. Writes the P_Keys that differ and publishes a snapshot, without
  /// discovery or routing. Afterwards it is at rest again, and regroupings() has grown.
  void set_partitions(PartitionFile partitions, PartitionsChanged event);

  /// Stops sending and leaves work in progress as it is. Answers to SMPs on the wire are received
  /// for at most one timeout, so that they do not reach the next user of the device; step() then
  /// does nothing. The fabric keeps its tables.
  void stop();
  bool stopped() const;
  /// The error that stopped the manager (exit_on_fatal).
  const std::optional<Error>& fatal() const;

  // Requests of the administrator
  void request_light_sweep();
  /// Computes all routes again, although nothing changed.
  void request_reroute();
  /// Off: no sweeps, neither periodic nor on traps nor on request; requests stay pending.
  void set_sweeping(bool on);
  bool is_sweeping() const;
  void set_priority(std::uint8_t priority);
  /// Ends the action on an unhealthy port, which either end of its cable names; false if it is not
  /// unhealthy.
  bool mark_healthy(Guid node, PortNum port);
  const PortHealth::Ports& unhealthy_ports() const;
  /// Hands over to the best standby, if there is one, and stops. Call step() until stopped() or not
  /// resigning(): then another manager is master, or no standby acknowledged.
  void resign();
  bool resigning() const;
  /// Hands over to the best standby once no work is in progress, and continues as standby, with
  /// priority 0 in its SMInfo until it is master again or its priority is set.
  void hand_over();

  /// Heavy sweeps that ended, successful or not; without those that found another master.
  std::uint64_t heavy_sweeps() const;
  /// Light sweeps begun.
  std::uint64_t light_sweeps() const { return light_sweeps_; }
  /// Updates of multicast trees or partitions between heavy sweeps.
  std::uint64_t regroupings() const;
  /// Report of the sweep or tree update in progress, else of the last one.
  const SweepReport& last_report() const;
  /// Null until a sweep has programmed verified routes, and while not master.
  std::shared_ptr<const Snapshot> snapshot() const;
  SmState state() const;
  std::uint8_t priority() const;
  /// GUID of the manager's port, once it is known.
  std::optional<Guid> own_guid() const;
  /// Managers that have answered; `silent` marks those that did not answer the last query.
  const std::vector<OtherManager>& others() const;
  const SmpCounts& smp_counts() const;

  // Replication between managers
  /// State that this master keeps in files.
  LidMemory lids() const;
  KeyMemory m_keys() const;
  const NeighborMemory& neighbors() const;
  WeightMemory measured_weights() const;
  GroupNumberMemory group_numbers() const;
  /// Ports of which the registrations are known, or were requested.
  const std::set<RegisteredPort>& registered_ports() const;
  /// For a manager that takes over: these ports need not register again.
  void inherit_registrations(std::set<RegisteredPort> ports);
  /// For a standby: files of persistent state were replaced.
  void recall_files();
  struct Leader {
    Guid guid;
    TimeNs alive_at{0};  // it was alive then, or later
  };
  /// The manager that this standby follows, or followed before it took over.
  std::optional<Leader> leader() const;
  /// For a standby: queries it at once, in addition to the regular polls.
  void query_leader();
  /// For a master: whether a standby of higher rank, by its port GUID, may become master now. It is
  /// called at each election; a handover by request does not depend on it.
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
  std::unique_ptr<LightSweep> light_;
  std::uint64_t light_sweeps_ = 0;
  bool handover_due_ = false;
  LoadAwareCounts load_aware_;
};

}  // namespace weft
