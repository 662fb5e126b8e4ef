// The subnet manager as a state machine without sockets, threads or sleeping: observe, plan, apply,
// then watch. Beside others it is master or stands by (election.h).
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
#include "sm/adaptive.h"
#include "sm/apply.h"
#include "sm/asking_again.h"
#include "sm/desired.h"
#include "sm/guid2lid.h"
#include "sm/held_tables.h"
#include "sm/lane_reading.h"
#include "sm/light_sweep.h"
#include "sm/link_changes.h"
#include "sm/local_changes.h"
#include "sm/local_look.h"
#include "sm/mastership.h"
#include "sm/observe.h"
#include "sm/occurrence.h"
#include "sm/options.h"
#include "sm/pkey_reading.h"
#include "sm/reregistration.h"
#include "sm/responder.h"
#include "sm/routing_cache.h"
#include "sm/smp_client.h"
#include "sm/sweep_report.h"
#include "sm/trap_ledger.h"

namespace weft {

class SubnetManager {
 public:
  SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options);
  ~SubnetManager();

  /// Does a piece of work and waits for arrivals, until `deadline` at most where there is nothing
  /// else to do.
  void step(TimeNs deadline);
  void step() { step(clock_.now() + kIdleStep); }

  /// True once the first sweep is over and nothing is in progress or asked for; while another
  /// manager is master, or this one is told to be inactive; and after stop().
  bool settled() const;
  /// A heavy sweep begins when a light sweep would: a trap asked for it, or late settings did.
  bool heavy_sweep_due() const {
    return heavy_in_time_ || client_.counts().doubtful_sets() != doubts_settled_;
  }

  /// Only the master and who wants to become it sweep: otherwise nothing happens.
  void request_heavy_sweep(std::string why);
  /// A heavy sweep that takes nothing for granted: what nodes hold is read again as well.
  void request_full_look(std::string why);
  /// New options, from files that were read again; the next heavy sweep uses them, and the priority
  /// counts at once. Those of SMPs on the wire stay as they were.
  void set_options(SmOptions options);
  /// Who belongs to which multicast LID, beside what the options say. A change costs the planning
  /// of trees once what is in progress is over, and of many changes in a row one.
  void set_multicast_groups(std::vector<FiledGroup> groups);
  /// The same for the GUIDs that ports have beside their own.
  void set_alias_guids(AliasGuids aliases);

  // repartitioning.cpp: partitions that change while the manager runs
  const PartitionFile& partitions() const { return options_.partitions; }
  /// A master between two sweeps, with nothing to be done first.
  bool at_rest() const;
  /// What other partitions would come to. The manager must be at rest.
  struct PkeyForecast {
    std::vector<Guid> nodes;             // with a port whose table changes, in order
    std::size_t ports = 0;               // endports among them
    std::vector<std::string> shortages;  // ports that had room and would not, by name
  };
  PkeyForecast foresee(const PartitionFile& partitions) const;
  /// The manager must be at rest. The P_Keys that differ are written, and the outcome is published;
  /// nothing is looked at, and routes stay as they are. It is at rest again when that is over, and
  /// regroupings() has grown.
  void set_partitions(PartitionFile partitions, PartitionsChanged told);

  /// Leaves whatever is in progress as it is: nothing is sent any more, answers to what is on the
  /// wire are taken in for one timeout at most, so that neither the device nor the next manager
  /// meets them, and step() does nothing from then on. The fabric goes on with what it holds.
  void stop();
  bool stopped() const { return stage_ == Stage::kStopped; }
  /// Why it stopped by itself: what exit_on_fatal is about.
  const std::optional<Error>& fatal() const { return fatal_; }

  // operating.cpp: what an administrator asks for
  void request_light_sweep();
  /// All routes are found anew, although nothing changed.
  void request_reroute();
  /// Off: no sweeps, neither in time nor on traps nor on request; what was asked for waits.
  void set_sweeping(bool on);
  bool is_sweeping() const { return sweeping_; }
  void set_priority(std::uint8_t priority);
  /// Hands over to the best standby, if there is one, and stops. To be stepped until stopped() or
  /// not resigning(); another manager rules then, or nobody wanted to.
  void resign();
  bool resigning() const { return resigning_ && !stopped() && role_.state == SmState::kMaster; }

  /// Sweeps that came to an end, well or not; not those that found another manager to be master.
  std::uint64_t heavy_sweeps() const { return sweeps_; }
  /// Light sweeps that were begun.
  std::uint64_t light_sweeps() const { return light_sweeps_; }
  /// Times that trees changed between heavy sweeps.
  std::uint64_t regroupings() const { return regroupings_; }
  /// Of the last heavy sweep that came to an end, or change of trees; while one is in progress, of
  /// that one.
  const SweepReport& last_report() const { return report_; }
  /// Null until a sweep has programmed verified routes, and unless master.
  std::shared_ptr<const Snapshot> snapshot() const { return snapshot_; }
  SmState state() const;
  std::uint8_t priority() const { return options_.sm_priority; }
  /// Of the port that it sits on, once that is known.
  std::optional<Guid> own_guid() const { return role_.own_guid; }
  /// The managers that answered once; those who did not when they were last asked are `silent`.
  const std::vector<OtherManager>& others() const { return role_.others; }
  const SmpCounts& smp_counts() const { return client_.counts(); }
  /// What happened since the last call.
  std::vector<Occurrence> take_occurrences() { return occurrences_.take(); }
  bool has_occurrences() const { return !occurrences_.empty(); }
  /// Traps since the last call, for those who have subscribed to them.
  std::vector<Notice> take_traps() { return std::exchange(traps_, {}); }
  std::size_t occurrences_lost() const { return occurrences_.lost(); }

 private:
  static constexpr TimeNs kIdleStep = std::chrono::milliseconds(100);
  static constexpr TimeNs kRetryAfter = std::chrono::seconds(10);
  static constexpr TimeNs kLinksTrain = std::chrono::seconds(3);  // what they may take
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
    kLookingAround,
    kAskingOthers,
    kHandingOver,
    kLooking,   // after the successor
    kAwaiting,  // another manager's word
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
    kAskingAgain,
    kPolling,
    kAcknowledging,
    kSilencing,
    kWatching,
    kStopped
  };

  // subnet_manager.cpp: the heavy sweep
  void begin_sweep();
  void count_from_here(std::string reason);
  void begin_discovery();
  /// Null where nobody is to be asked.
  Fdr10Devices* fdr10_devices() {
    return options_.fdr10 == Fdr10::kNotAsked ? nullptr : &fdr10_devices_;
  }
  void take_in(Observed observed);
  void finish_discovery();
  bool must_look_again(const Observed& observed);
  void tell_slow_links();
  void read_tables();
  void plan();
  std::vector<bool> ports_to_reregister(Lid sm_lid);
  std::vector<PortId> links_to_take_down();
  std::uint8_t usable_sm_sl();
  void begin_reading_pkeys();
  void begin_apply();
  void order_transition();
  Result<Fabric> give_lids();
  void tell_changes(const Fabric& fabric);
  bool find_routes(const Fabric& fabric);
  void keep_what_is_in_force(RoutingOptions& routing, const Fabric& fabric) const;
  bool recall_routes(const Fabric& fabric);
  void finish_sweep();
  void publish();
  void abandon_sweep(const Error& error);
  void end_sweep();
  TimeNs retry_pause();

  // adaptive_stages.cpp: switches that choose
  bool wants_adaptive() const;
  void finish_reading_tables();
  void tell_what_switches_can(RoutingOptions& routing, const Fabric& fabric) const;
  void plan_choosing();
  void begin_programming();
  void finish_programming();
  void tell_choosing();

  // looking_around.cpp: sweeps that begin with what is known
  bool may_look_around() const;
  void on_port_change(const std::string& what, std::optional<Guid> sw);
  void begin_sweep_around();
  void finish_look_around();

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
  const Fabric* fabric_in_force() const;
  EndportId holder_of(Lid lid) const;
  std::string tell(const Notice& notice, Lid from) const;
  void silence_babbler(const TrapPortError& error, const std::string& what);
  bool begin_silencing();
  void finish_silencing();
  Mkey key_of(Lid lid) const;

  // mastership.cpp: among other managers
  SmInfo own_info() const;
  std::vector<KnownManager> known_managers() const;
  Contender own_contender() const;
  Lid own_lid() const;
  TimeNs patience() const;
  void begin_introduction();
  void finish_introduction();
  void ask_others();
  void take_in_others();
  void notice_managers(std::vector<OtherManager> now);
  bool is_trusted(const SmInfo& info) const;
  bool refuses(Guid guid) const;
  void finish_asking();
  void obey(Standing standing, const OtherManager& other);
  void lead();
  void finish_clearing();
  void enter(SmState state);
  void succeed_another_master();
  void lose_mastership();
  void follow(const OtherManager& leader);
  void stand_by(TimeNs deadline);
  void finish_poll();
  void hint_from_now_on();
  void hint();
  bool tell_of_us(const OtherManager& master);
  void priority_changed();
  void begin_handover(const OtherManager& successor);
  void finish_handover_request();
  void begin_look();
  void finish_look();
  void handover_failed(const std::string& why);
  void await(TimeNs deadline);
  void begin_acknowledgement();
  void finish_acknowledgement();
  void finish_talk();
  void adopt_lids();
  void on_sm_request(const Smp& request);
  Status on_sm_command(const Smp& request);
  void carry_out(SmEvent event, SmState next, const Smp& request, const SmInfo& sender);
  void ask_others_again();
  void finish_asking_again();

  void choose_heirs();
  void hand_to_next_heir();

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
  std::optional<std::string> heavy_wanted_ = "first sweep";  // why
  std::set<Guid> changed_switches_;  // with nothing else wanted, a sweep around them will do
  LocalChanges local_changes_;       // of which traps told, to be read
  std::string change_;               // of the first of them
  std::optional<std::string> heavy_in_time_;  // why, at the time of the next light sweep
  TimeNs next_light_{0};
  TimeNs retry_at_ = TimeNs::max();  // a failed sweep is done again
  unsigned refused_in_a_row_ = 0;    // sweeps with the same settings refused
  std::vector<std::string> refused_last_;
  AskingAgain asking_again_;
  TimeNs calm_at_ = TimeNs::max();  // traps were too many; what they said is looked at then
  TrapLedger trap_ledger_;
  std::vector<CableEnd> babblers_;         // to be disabled
  std::vector<std::string> slow_links_;    // as they were told last
  std::vector<std::string> shared_guids_;  // seen in the discovery before
  std::optional<Error> fatal_;
  std::uint64_t doubts_settled_ = 0;  // Sets that may have been late, and were looked after
  std::uint64_t sweeps_ = 0;
  std::uint64_t light_sweeps_ = 0;
  bool first_as_master_ = true;
  std::uint32_t activity_count_ = 0;
  bool sweeping_ = true;
  bool resigning_ = false;
  bool heir_agreed_ = false;         // to the HANDOVER: we are as good as a standby
  std::vector<OtherManager> heirs_;  // to ask one after the other, the best at the end
  Occurrences occurrences_;
  std::vector<Notice> traps_;

  // Of the sweep in progress
  std::unique_ptr<Discovery> discovery_;
  std::unique_ptr<LocalLook> local_look_;
  bool changed_meanwhile_ = false;
  bool clears_changes_ = false;       // the discovery clears PortStateChange
  std::optional<Observed> observed_;  // stays until the next, for light sweeps
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

  // What clients asked for
  std::vector<FiledGroup> joined_;
  AliasGuids aliases_;
  TimeNs regroup_at_ = TimeNs::max();  // they have changed, and a sweep for them is due
  TimeNs joining_since_{0};            // the first of these changes
  bool regrouping_ = false;            // the sweep in progress is about them only
  std::uint64_t regroupings_ = 0;
  std::optional<std::vector<MulticastGroup>> planned_groups_;  // routes_' trees are theirs
  std::vector<std::string> tree_notes_;                        // as they were told last

  // From sweep to sweep
  std::optional<LidMemory> lids_;
  bool lids_unsaved_ = false;
  bool lids_may_be_kept_ = true;          // the file that is there is not the only copy of anything
  bool routing_changed_ = false;          // the snapshot's routes come from other inputs
  bool keys_may_be_kept_ = true;          // as lids_may_be_kept_
  KeyMemory keys_to_come_;                // could not be written down, so that ports go without
  TimeNs keys_again_at_ = TimeNs::max();  // and this is when that is tried again
  bool doubts_what_is_held_ = false;      // held_ is not to be trusted in the next sweep
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
