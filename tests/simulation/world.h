// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a plan: the real subnet manager and SA on an emulated fabric with a virtual clock, the
// faults of the plan, and continuous checks. Runs of the same plan are identical.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clients.h"
#include "copy_network.h"
#include "manager_process.h"
#include "plan.h"

namespace weft::simulation {

/// Number of events by name: faults, drops, changes of state, kinds of sweeps, answers of clients,
/// and messages of replication.
using Coverage = std::map<std::string, std::uint64_t>;

struct Outcome {
  std::string failure;     // the failure with its time; empty: none
  bool cut_short = false;  // the time limit expired without a failure
  TimeNs virtual_time{};   // time of the virtual clock at the end
  std::uint64_t mads = 0;
  std::uint64_t faults = 0;
  Coverage coverage;
  std::uint64_t fingerprint = 0;  // hash of the final LFTs and of the number of MADs
};

class World {
 public:
  explicit World(const WorldPlan& plan);
  ~World();

  /// Figures of a long run; counts since the start.
  struct Measurements {
    TimeNs at{};
    std::uint64_t sweeps = 0;    // heavy sweeps of all managers
    double sweep_seconds = 0;    // wall-clock time of these sweeps
    std::uint64_t answered = 0;  // requests of clients that were answered
  };
  /// Calls `record` at intervals of `every` in virtual time, until the faults are repaired.
  void watch(TimeNs every, std::function<void(const Measurements&)> record);

  /// Runs the plan until its end, until a failure, or until `is_time_up` returns true. Must be
  /// called only once.
  Outcome run(std::function<bool()> is_time_up = {});

 private:
  // world.cpp: events
  void begin();
  void inject(const Fault& fault);
  void reset(NodeId node);
  void inject_at_manager(const Fault& fault, ManagerProcess& process);
  void later(TimeNs at, std::function<void()> action);
  void advance_until(TimeNs end);
  void step_all(TimeNs limit);
  void repair();
  void note_states();
  bool is_new_takeover(const ManagerProcess& process);
  void note_sweep(const ManagerProcess& process);
  void stop_clients();
  void sample_every(TimeNs every, const std::function<void(const Measurements&)>& record);
  void fail(const std::string& what);
  ManagerProcess& process_of(std::uint64_t number) {
    return *processes_[number % processes_.size()];
  }
  NodeId fault_node(std::uint64_t number) const {
    return nodes_without_manager_[number % nodes_without_manager_.size()];
  }

  // checks.cpp
  const ManagerProcess* master() const;
  unsigned masters() const;
  bool may_show_stale_state() const;
  bool shows_stale_state();
  bool is_running() const { return outcome_.failure.empty() && !outcome_.cut_short; }
  void check();
  struct Forwarding {
    std::vector<std::uint32_t> next;  // next switch by switch and port, or switch_count()
    std::vector<std::vector<std::uint8_t>> tables;  // by switch, then LID
  };
  static constexpr std::size_t kPortsMax = 256;
  Forwarding forwarding() const;
  void check_loops();
  void check_settled(const ManagerProcess& process);
  bool contains_forwarding_switches(const Snapshot& snapshot) const;
  void check_lids(const ManagerProcess& process, const Snapshot& snapshot);
  void check_registrations();
  void notify_clients();
  void check_end();
  void check_cold(const ManagerProcess& process);
  void check_no_sets(const ManagerProcess& process);

  // feature_checks.cpp
  std::uint64_t adaptive_sets() const;
  void check_group_ports(const Forwarding& now);
  std::uint32_t table_of(std::uint32_t sw, PortNum in, Sl sl) const;
  PortNum port_behind(std::uint32_t sw, unsigned port) const;
  bool uses_table(std::uint32_t sw, std::uint32_t table, Sl sl) const;
  void check_groups(const ManagerProcess& process, const Snapshot& snapshot);
  std::map<Guid, unsigned> vport_guids() const;
  std::string wrong_vport(const Snapshot& snapshot) const;
  std::string wrong_own_lid(const Snapshot& snapshot, Guid vport, Lid held) const;
  void check_vport_lids(const ManagerProcess& process, const Snapshot& snapshot);
  void check_agents(const ManagerProcess& process);

  const WorldPlan plan_;
  const Fabric fabric_;
  EmulatedFabric emulated_;
  Neighborhood neighborhood_;
  CopyNetwork copies_;
  std::vector<std::unique_ptr<ManagerProcess>> processes_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<NodeId> nodes_without_manager_;
  std::multimap<TimeNs, std::function<void()>> actions_;
  std::multiset<NodeId> lossy_nodes_, delayed_nodes_;
  unsigned corrupting_faults_ = 0;
  Rng noise_;
  FaultRates rates_;

  // State of the checks
  bool tables_may_be_mixed_ = false;  // tables may have entries from two managers or from late SMPs
  TimeNs stale_until_{0};
  bool received_corrupted_ = false;  // corrupted answers, possibly still cached
  bool lids_may_move_ = false;
  std::uint64_t lft_sets_ = 0;
  Forwarding checked_forwarding_;                         // last state checked, without loops
  std::map<const ManagerProcess*, std::uint64_t> swept_;  // heavy sweeps counted so far
  std::map<const ManagerProcess*, SmState> states_;
  std::map<const ManagerProcess*, TimeNs> master_since_, master_until_;  // terms of masters
  std::map<const ManagerProcess*, std::pair<std::uint64_t, std::uint64_t>>
      takeovers_;                 // (starts, takeovers) of each process
  TimeNs duplicates_until_{0};    // GMPs may arrive twice, or late
  TimeNs next_registrations_{0};  // time of the next check
  struct AssignedLid {
    Lid lid;
    unsigned resets = 0;  // number of resets of the node so far
  };
  std::map<NodeId, unsigned> resets_;
  std::map<Guid, AssignedLid> lids_;
  std::map<const ManagerProcess*, std::map<Guid, Lid>> assigned_by_;
  std::map<Guid, Lid> vport_lids_;  // own LIDs of virtual ports, as last assigned by any manager
  std::map<const ManagerProcess*, std::map<Guid, Lid>> vport_lids_by_;
  std::function<bool()> is_time_up_;
  Outcome outcome_;
  Measurements measurements_;
};

/// Runs a plan as World::run() does.
Outcome run(const WorldPlan& plan, std::function<bool()> is_time_up = {});

}  // namespace weft::simulation
