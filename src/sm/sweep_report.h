// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Report of a sweep, and the snapshot that it publishes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/changes.h"
#include "fabric/fabric.h"
#include "ib/sm_info.h"
#include "policy/route_chain.h"
#include "routes/routes.h"
#include "sm/adaptive/adaptive.h"
#include "sm/devices/sharp.h"
#include "sm/discovery/smp_client.h"
#include "sm/observed.h"
#include "sm/partitions/partitions.h"
#include "sm/planes/plane_memory.h"
#include "sm/programming/apply.h"
#include "sm/qos/qos_matcher.h"
#include "sm/transition/transition.h"
#include "sm/vports/vport_lids.h"
#include "sm/vports/vport_programming.h"
#include "verify/verify.h"

namespace weft {

/// Report of one heavy sweep, of one sweep with incremental discovery, or of one update.
struct SweepReport {
  std::string reason;  // reason for the sweep
  bool up = false;    // routes are programmed, no Set failed, no hardware limit, no link taken down
  std::string error;  // why `up` is false; empty otherwise
  SmpCounts smps;     // SMPs of this sweep
  ApplyReport applied;
  ArReport adaptive;
  TransitionReport transition;  // with safe_transitions only
  VportReport vports;
  PlaneReport planes;
  SharpReport sharp;
  SettingReport recovery;
  std::uint64_t table_blocks_read = 0;
  std::uint64_t ports_with_unstored_values = 0;  // held_ports.h
  bool discovered_incrementally = false;         // only the changes were discovered
  unsigned restarts = 0;               // restarts of the discovery after changes of the fabric
  bool routes_reused = false;          // graph and LIDs equal those of the last sweep
  bool routes_remembered = false;      // routes from the cache (-A)
  bool verified_changes_only = false;  // verified from the proof of the last sweep
  /// With compare_verifications: the difference between the verification of the changes, or of
  /// their table update, and the complete verification; empty if there is none.
  std::string verification_difference;
  std::vector<FabricChange> changes;  // changes since the last snapshot
  /// Differences from the expected topology; none if topo_config_enabled is FALSE.
  std::optional<std::vector<FabricChange>> topology_findings;
  std::vector<EngineAttempt> engines_failed;
  std::vector<std::string> warnings;
  std::vector<std::string> degraded_links;  // the first degraded links (discovery/degraded_links.h)
  struct {
    double observe = 0, read_tables = 0, lids = 0, route = 0, verify = 0, diff = 0, apply = 0;
    double total = 0;
  } seconds;  // wall-clock time

  std::uint64_t table_blocks_written() const { return applied.done_in(Phase::kTables); }
  /// SMPs per second in the stages that send SMPs: discovery, reading and programming.
  double smps_per_second() const {
    const double sending = seconds.observe + seconds.read_tables + seconds.apply;
    return sending > 0 ? static_cast<double>(smps.sent) / sending : 0;
  }
};

/// Result of a completed sweep or update, as in its report.
struct SweepResult {
  bool up = false;
  std::string error;
  bool operator==(const SweepResult&) const = default;
};

/// Logs a warning, and adds it to the report.
void warn(SweepReport& report, const std::string& text);

/// A subnet manager of the fabric: another manager, or this manager.
struct KnownManager {
  Lid lid;  // LID of its port
  SmInfo info;
};

/// Result of a sweep or update that has programmed routes: immutable and shared.
struct Snapshot {
  Fabric fabric;
  Routes routes;
  Verdict verdict;
  LanePlan lanes;
  EndportId sm = kNoEndport;  // the manager's endport
  std::uint64_t sweep = 0;    // number of the heavy sweep
  SweepReport report;
  PkeyPlan pkeys{};                      // the programmed P_Key tables
  std::vector<PartitionGroup> groups{};  // the multicast groups of the partitions
  std::vector<ObservedNode> nodes{};     // by NodeId: current attributes
  std::vector<KnownManager> managers{};  // this manager first
  QosMatcher qos{};                      // QoS level by path query
  PartitionFile partitions{};            // content of partition_config_file
  AliasGuids aliases{};                  // alias GUIDs of ports
  Vports vports{};                       // virtual ports; `pkeys` has their P_Keys
  /// Devices that announce HierarchyInfo, as of the last sweep with a discovery; never null.
  std::shared_ptr<const PlanarDevices> planar = std::make_shared<const PlanarDevices>();
  std::vector<EndportId> sm_at{};  // Desired::sm_at
  VportLids vport_lids{};          // own LIDs of virtual ports
  std::vector<LidCopy> copies{};   // the paths of these LIDs, sorted
  Lid sm_lid() const { return fabric.endport(sm).lid; }
  /// The manager's endport in the plane of an endport.
  EndportId manager_towards(EndportId to) const {
    const SwitchId sw = fabric.endport(to).sw;
    return sm_at.empty() || sw == kNoSwitch ? sm : sm_at[sw.value()];
  }
  /// The manager's port in the plane of an endport; 0 if the manager sends by one port only.
  std::uint8_t manager_port_towards(EndportId to) const {
    return sm_at.empty() ? std::uint8_t{0}
                         : fabric.port(fabric.endport(manager_towards(to)).port).num.value();
  }
};

/// Whether two fabrics are equal in all values that determine their routes: nodes with their
/// descriptions, cables, rates, MTUs, VLs, port GUIDs and LIDs.
bool are_equal_for_routing(const Fabric& a, const Fabric& b);

}  // namespace weft
