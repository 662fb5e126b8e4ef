// The subnet manager as a state machine without sockets, threads or sleeping: discover, plan,
// apply, then watch for changes. Among several managers it is master or standby (election.h).
//   SubnetManager sm(transport, clock, options);   while (!sm.settled()) sm.step();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ib/sm_info.h"
#include "ib/transport.h"
#include "sm/adaptive/adaptive.h"
#include "sm/discovery/incremental_discovery.h"
#include "sm/discovery/light_sweep.h"
#include "sm/discovery/observe.h"
#include "sm/discovery/retry_pauses.h"
#include "sm/discovery/smp_client.h"
#include "sm/lids/guid2lid.h"
#include "sm/local_changes.h"
#include "sm/mastership.h"
#include "sm/occurrence.h"
#include "sm/options.h"
#include "sm/programming/apply.h"
#include "sm/programming/desired.h"
#include "sm/programming/held_tables.h"
#include "sm/programming/lane_reading.h"
#include "sm/programming/link_changes.h"
#include "sm/programming/pkey_reading.h"
#include "sm/programming/reregistration.h"
#include "sm/programming/routing_cache.h"
#include "sm/sweep_report.h"
#include "sm/traps/responder.h"
#include "sm/traps/trap_ledger.h"

namespace weft {

class SubnetManager {
 public:
  SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options);
  ~SubnetManager();

  /// Does one piece of work and waits for MADs, at most until `deadline` when nothing else is due.
  void step(TimeNs deadline);
  void step() { step(clock_.now() + kIdleStep); }

  /// True once the first sweep has ended and no work is in progress or requested; while another
  /// manager is master or this one is NOTACTIVE; and after stop().
  bool settled() const;
  /// The next sweep is a heavy one: a trap or a possibly late Set requires it.
  bool heavy_sweep_due() const {
    return heavy_in_time_ || client_.counts().doubtful_sets() != doubts_settled_;
  }

  /// Only a master or discovering manager sweeps; in other states this has no effect.
  void request_heavy_sweep(std::string why);
  /// A heavy sweep that also reads the tables of all nodes again.
  void request_full_look(std::string why);
  /// Options from files that were read again. The next heavy sweep uses them; the priority applies
  /// at once. Limits and timeouts of SMPs do not change.
  void set_options(SmOptions options);
  /// Members of multicast LIDs, in addition to those in the options. After a change the trees are
  /// computed again once the sweep in progress ends; successive changes share one computation.
  void set_multicast_groups(std::vector<FiledGroup> groups);
  /// The same for alias GUIDs.
  void set_alias_guids(AliasGuids aliases);

  // repartitioning.cpp: partitions that change while the manager runs
  const PartitionFile& partitions() const { return options_.partitions; }
  /// True for a master between two sweeps with no pending work.
  bool at_rest() const;
  /// Effect of replacing the partitions. The manager must be at rest.
  struct PkeyForecast {
    std::vector<Guid> nodes;             // with a port that gets a new table, in order
    std::size_t ports = 0;               // endports among them
    std::vector<std::string> shortages;  // ports with a table that would become too small
  };
  PkeyForecast forecast_partitions(const PartitionFile& partitions) const;
  /// The manager must be at rest. Writes the P_Keys that differ and publishes a snapshot, without
  /// discovery or routing. Afterwards it is at rest again, and regroupings() has grown.
  void set_partitions(PartitionFile partitions, PartitionsChanged event);

  /// Stops sending and leaves work in progress as it is. Answers to SMPs on the wire are received
  /// for at most one timeout, so that they do not reach the next user of the device; step() then
  /// does nothing. The fabric keeps its tables.
  void stop();
  bool stopped() const { return stage_ == Stage::kStopped; }
  /// Why it stopped by itself (exit_on_fatal).
  const std::optional<Error>& fatal() const { return fatal_; }

  // operating.cpp: requests of the administrator
  void request_light_sweep();
  /// Computes all routes again, although nothing changed.
  void request_reroute();
  /// Off: no sweeps, neither periodic nor on traps nor on request; requests stay pending.
  void set_sweeping(bool on);
  bool is_sweeping() const { return sweeping_; }
  void set_priority(std::uint8_t priority);
  /// Hands over to the best standby, if there is one, and stops. Call step() until stopped() or not
  /// resigning(): then another manager is master, or no standby acknowledged.
  void resign();
  bool resigning() const { return resigning_ && !stopped() && role_.state == SmState::kMaster; }

  /// Heavy sweeps that ended, successful or not; without those that found another master.
  std::uint64_t heavy_sweeps() const { return sweeps_; }
  /// Light sweeps begun.
  std::uint64_t light_sweeps() const { return light_sweeps_; }
  /// Updates of multicast trees or partitions between heavy sweeps.
  std::uint64_t regroupings() const { return regroupings_; }
  /// Report of the sweep or tree update in progress, else of the last one.
  const SweepReport& last_report() const { return report_; }
  /// Null until a sweep has programmed verified routes, and while not master.
  std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }
  SmState state() const;
  std::uint8_t priority() const { return options_.sm_priority; }
  /// GUID of the manager's port, once it is known.
  std::optional<Guid> own_guid() const { return role_.own_guid; }
  /// Managers that have answered; `silent` marks those that did not answer the last query.
  const std::vector<OtherManager>& others() const { return role_.others; }
  const SmpCounts& smp_counts() const { return client_.counts(); }
  /// What happened since the last call.
  std::vector<Occurrence> take_occurrences() { return occurrences_.take(); }
  bool has_occurrences() const { return !occurrences_.empty(); }
  /// Traps since the last call, to be forwarded to subscribers.
  std::vector<Notice> take_traps() { return std::exchange(traps_, {}); }
  std::size_t occurrences_lost() const { return occurrences_.lost(); }

 private:
  static constexpr TimeNs kIdleStep = std::chrono::milliseconds(100);
  static constexpr TimeNs kRetryAfter = std::chrono::seconds(10);
  static constexpr TimeNs kLinksTrain = std::chrono::seconds(3);  // time a link may take to train
  static constexpr unsigned kRestartsMax = 3;
  static constexpr std::size_t kChangesNamed = 50;  // in the log
  static constexpr std::size_t kSlowLinksNamed = 50;
  static constexpr std::size_t kEarlyMax = 64;
  static constexpr std::size_t kTrapsMax = 4096;
  static constexpr TimeNs kHintPauseMax = std::chrono::minutes(2);
  static constexpr TimeNs kLookInterval = std::chrono::milliseconds(100);
  static constexpr TimeNs kGroupsSettle = std::chrono::milliseconds(50);
  static constexpr TimeNs kGroupsSettleMax = std::chrono::milliseconds(500);
  enum class Stage {
    kIntroduction,
    kDiscovering,
    kIncrementalDiscovery,
    kQueryingManagers,
    kHandingOver,
    kPollingSuccessor,  // after the successor
    kAwaitingHandover,  // a HANDOVER from another manager
    kClearing,
    kReadingLocalChanges,
    kReadingTables,
    kReadingAdaptive,
    kReadingLanes,
    kReadingPkeys,
    kAdaptiveOff,
    kApplying,
    kAdaptiveOn,
    kLightSweep,
    kRequeryingManagers,
    kPolling,
    kAcknowledging,
    kDisablingPort,
    kWatching,
    kStopped
  };

  // subnet_manager.cpp: the heavy sweep
  void begin_sweep();
  void count_from_here(std::string reason);
  void begin_discovery();
  /// Null if FDR10 is not read.
  Fdr10Devices* fdr10_devices() {
    return options_.fdr10 == Fdr10::kNotAsked ? nullptr : &fdr10_devices_;
  }
  void store_discovery(Observed observed);
  void finish_discovery();
  bool must_rediscover(const Observed& observed);
  void log_slow_links();
  void read_tables();
  void plan();
  std::vector<bool> ports_to_reregister(Lid sm_lid);
  std::vector<PortId> links_to_take_down();
  std::uint8_t usable_sm_sl();
  void begin_reading_pkeys();
  void begin_apply();
  void order_transition();
  Result<Fabric> give_lids();
  void log_fabric_changes(const Fabric& fabric);
  bool find_routes(const Fabric& fabric);
  void keep_active_routes(RoutingOptions& routing, const Fabric& fabric) const;
  bool recall_routes(const Fabric& fabric);
  void finish_sweep();
  void publish();
  void abandon_sweep(const Error& error);
  void end_sweep();
  TimeNs retry_pause();

  // adaptive_stages.cpp: adaptive routing
  bool uses_adaptive_routing() const;
  void finish_reading_tables();
  void set_adaptive_capabilities(RoutingOptions& routing, const Fabric& fabric) const;
  void plan_adaptive_routing();
  void begin_programming();
  void finish_programming();
  void report_adaptive_routing();

  // looking_around.cpp: sweeps with incremental discovery
  bool may_discover_incrementally() const;
  void on_port_change(const std::string& what, std::optional<Guid> sw);
  void begin_incremental_sweep();
  void finish_incremental_discovery();

  // regrouping.cpp: multicast trees
  std::vector<MulticastGroup> groups_on(const Fabric& fabric, std::vector<std::string>& warnings);
  void renew_trees(const Fabric& fabric);
  void regroup_soon();
  void begin_regrouping();
  void begin_at_planning(const std::string& why);

  // local_changes.cpp: names of nodes, capabilities of ports
  void begin_reading_local_changes();
  void finish_reading_local_changes();

  // watching.cpp: between heavy sweeps
  void watch(TimeNs deadline);
  void begin_light_sweep();
  void finish_light_sweep();
  void answer_unsolicited();

  // traps.cpp
  void on_trap(const Smp& trap);
  void act_on(TrapEffect effect, const std::string& what, Lid from);
  std::optional<Guid> switch_at(Lid lid) const;
  bool is_own_lid(Lid lid) const;
  const Fabric* active_fabric() const;
  EndportId holder_of(Lid lid) const;
  std::string describe_trap(const Notice& notice, Lid from) const;
  void disable_babbling_port(const TrapPortError& error, const std::string& what);
  bool begin_disabling_port();
  void finish_disabling_port();
  Mkey key_of(Lid lid) const;

  // mastership.cpp: among other managers
  SmInfo own_info() const;
  std::vector<KnownManager> known_managers() const;
  Contender own_contender() const;
  Lid own_lid() const;
  TimeNs patience() const;
  void begin_introduction();
  void finish_introduction();
  void query_managers();
  void store_managers();
  void notice_managers(std::vector<OtherManager> now);
  bool is_trusted(const SmInfo& info) const;
  bool refuses(Guid guid) const;
  void finish_manager_query();
  void act_on_standing(Standing standing, const OtherManager& other);
  void become_master();
  void finish_clearing();
  void enter(SmState state);
  void succeed_another_master();
  void lose_mastership();
  void follow(const OtherManager& leader);
  void stand_by(TimeNs deadline);
  void finish_poll();
  void hint_from_now_on();
  void hint();
  bool send_priority_trap(const OtherManager& master);
  void priority_changed();
  void begin_handover(const OtherManager& successor);
  void finish_handover_request();
  void begin_successor_poll();
  void finish_successor_poll();
  void handover_failed(const std::string& why);
  void await_handover(TimeNs deadline);
  void begin_acknowledgement();
  void finish_acknowledgement();
  void finish_talk();
  void adopt_lids();
  void on_sm_request(const Smp& request);
  Status on_sm_command(const Smp& request);
  void carry_out(SmEvent event, SmState next, const Smp& request, const SmInfo& sender);
  void requery_managers();
  void finish_manager_requery();

  void collect_successors();
  void hand_over_to_next_successor();

  // LIDs on disk
  void recall_lids();
  void keep_damaged_lids();
  void keep_lids(const LidMemory& before);
  std::string guid2lid_path() const { return options_.cache_dir + "/guid2lid"; }

  // keeping_keys.cpp: M_Keys on disk
  void recall_keys();
  void announce_keys();
  Status write_keys_to_come(const KeyMemory& keys) const;
  void try_keys_again();
  void keep_keys();
  std::string cache_path(std::string_view name) const {
    return fmt::format("{}/{}", options_.cache_dir, name);
  }

  void warn(const std::string& text);

  const Clock& clock_;
  SmOptions options_;
  KnownKeys keys_;
  SmpClient client_;

  Stage stage_ = Stage::kWatching;
  Mastership role_;
  std::optional<std::string> heavy_reason_ = "first sweep";  // why
  std::set<Guid> changed_switches_;  // if only these changed, an incremental sweep is enough
  LocalChanges local_changes_;       // announced by traps, to be read
  std::string change_;               // of the first of them
  std::optional<std::string> heavy_in_time_;  // reason; due at the time of the next light sweep
  TimeNs next_light_{0};
  TimeNs retry_at_ = TimeNs::max();  // time to repeat a failed sweep
  unsigned refused_in_a_row_ = 0;    // sweeps in which the same Sets were refused
  std::vector<std::string> refused_last_;
  RetryPauses retry_pauses_;
  TimeNs trap_storm_ends_ = TimeNs::max();  // end of a trap storm: then a sweep reads the changes
  TrapLedger trap_ledger_;
  std::vector<CableEnd> babbling_ports_;   // to be disabled
  std::vector<std::string> slow_links_;    // as last logged
  std::vector<std::string> shared_guids_;  // of the previous discovery
  std::optional<Error> fatal_;
  std::uint64_t doubts_settled_ = 0;  // doubtful_sets() up to here are settled
  std::uint64_t sweeps_ = 0;
  std::uint64_t light_sweeps_ = 0;
  bool first_as_master_ = true;
  std::uint32_t activity_count_ = 0;
  bool sweeping_ = true;
  bool resigning_ = false;
  bool handover_acknowledged_ = false;    // HANDOVER acknowledged: acts as a standby from now on
  std::vector<OtherManager> successors_;  // candidates for HANDOVER in turn, the best last
  Occurrences occurrences_;
  std::vector<Notice> traps_;

  // Of the sweep in progress
  std::unique_ptr<Discovery> discovery_;
  std::unique_ptr<IncrementalDiscovery> incremental_discovery_;
  bool changed_meanwhile_ = false;
  bool clears_changes_ = false;       // the discovery clears PortStateChange
  std::optional<Observed> observed_;  // kept until the next discovery, for light sweeps
  std::unique_ptr<LocalChangeReading> local_reading_;
  std::unique_ptr<TableReading> reading_;
  std::unique_ptr<LaneReading> lane_reading_;
  std::unique_ptr<PkeyReading> pkey_reading_;
  std::unique_ptr<Desired> desired_;
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Applying> applying_;
  std::unique_ptr<ArReading> ar_reading_;
  std::unique_ptr<ArProgramming> ar_programming_;
  ArPlan ar_plan_;
  ArConf ar_conf_;
  std::unique_ptr<LightSweep> light_;
  Routes routes_;
  Verdict verdict_;
  SweepReport report_;
  SmpCounts counts_before_;
  Stopwatch sweep_watch_;
  Stopwatch stage_watch_;

  // Requests of clients
  std::vector<FiledGroup> joined_;
  AliasGuids aliases_;
  TimeNs regroup_at_ = TimeNs::max();  // when a tree update is due
  TimeNs joining_since_{0};            // time of the first pending change
  bool regrouping_ = false;            // the sweep in progress updates trees only
  std::uint64_t regroupings_ = 0;
  std::optional<std::vector<MulticastGroup>>
      planned_groups_;                   // groups that the trees of routes_ serve
  std::vector<std::string> tree_notes_;  // as last logged

  // From sweep to sweep
  std::optional<LidMemory> lids_;
  bool lids_unsaved_ = false;
  bool lids_may_be_kept_ = true;          // overwriting the file loses no data
  bool routing_changed_ = false;          // the snapshot's routes come from other inputs
  bool keys_may_be_kept_ = true;          // as lids_may_be_kept_
  KeyMemory keys_to_come_;                // could not be written to disk, so not set on ports
  TimeNs keys_again_at_ = TimeNs::max();  // next attempt to write them
  bool distrusts_held_tables_ = false;    // the next sweep reads all tables again
  KeyMemory keys_on_disk_;
  NeighborMemory neighbors_on_disk_;
  HeldTables held_;
  Reregistrations reregistrations_;
  LinkChanges link_changes_;
  ArKnowledge ar_;
  Fdr10Devices fdr10_devices_;
  RoutingCache cache_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace weft
