// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State of the subnet and its devices, kept from sweep to sweep.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "policy/routing_inputs.h"
#include "sm/adaptive/ar_memory.h"
#include "sm/adaptive/group_number_file.h"
#include "sm/devices/general_info.h"
#include "sm/discovery/fdr10.h"
#include "sm/discovery/port_state_reading.h"
#include "sm/health/port_health.h"
#include "sm/health/reason_reading.h"
#include "sm/lids/guid2lid.h"
#include "sm/load/weight_file.h"
#include "sm/observed.h"
#include "sm/pauses.h"
#include "sm/planes/plane_memory.h"
#include "sm/programming/held_tables.h"
#include "sm/programming/link_changes.h"
#include "sm/programming/reregistration.h"
#include "sm/programming/routing_cache.h"
#include "sm/retry_pauses.h"
#include "sm/sweep_report.h"
#include "sm/vports/vport_lids.h"
#include "sm/vports/vport_reading.h"
#include "verify/dependencies.h"
#include "verify/proof.h"

namespace weft {

/// Result of the verification of a snapshot, used to verify later changes. Memory in addition to
/// the snapshot: 16 bytes for each channel, and two bits for each VL and each pair of a channel and
/// an output channel of its next switch.
struct KeptProof {
  std::shared_ptr<const Snapshot> snapshot;
  Dependencies dependencies;  // refer to the fabric of the snapshot
};

struct SubnetMemory {
  /// The last discovery, kept until the next discovery. Answers received since then update it.
  std::optional<Observed> observed;
  /// Null until a sweep has programmed routes, and while not master.
  std::shared_ptr<const Snapshot> snapshot;
  /// Proof of `snapshot`. None if its routes were not verified, if their verdict is not complete
  /// (is_complete()), and for SL2VL maps by port, which are always verified as a whole.
  std::optional<KeptProof> proof;
  CachedFile<LidMemory> lids{kGuid2Lid};
  VportLids vport_lids;  // as assigned by the sweep or update in progress, or by the last one

  // State of devices
  HeldTables held;
  bool distrusts_held_tables = false;  // the next sweep reads all tables again
  Reregistrations reregistrations;
  LinkChanges link_changes;
  ArMemory ar;
  CachedFile<GroupNumberMemory> group_numbers{kGuid2ArGroup};
  Fdr10Devices fdr10_devices;
  PortHealth health;
  std::vector<PortHealth::Finding> health_findings;  // findings of the sweep in progress
  std::vector<NodeId> refusing_nodes;                // nodes that refused Sets in that sweep
  ReasonMemory reasons;
  std::map<CableEnd, HealthPort> silent_ports;  // last known state of silent ports, by near end
  std::set<CableEnd> disabled_ports;            // switch ports disabled as unhealthy
  RetryPauses retry_pauses;
  DevicePauses vport_pauses;
  std::shared_ptr<const PlanarDevices> planar = std::make_shared<const PlanarDevices>();
  PlanePauses plane_pauses;
  std::set<Guid> changed_hierarchy;  // nodes that reported a change, until they are read again
  PortStateMemory port_states;
  AnnouncedCapabilities announced;
  DevicePauses sharp_pauses;       // switches that did not accept the SHARP setting
  DevicePauses recovery_pauses;    // switches that did not accept recovery settings
  PlaneReport plane_report;        // of the last discovery
  std::vector<Guid> moved_vports;  // GUIDs with a new owner, which needs ClientReregister; sorted

  // Routes
  CachedFile<WeightMemory> weights{kGuid2Weight};  // weights of load-aware routing
  RoutingCache cache;
  bool routing_changed = false;    // routing inputs changed after the snapshot
  std::set<Guid> routed_adaptive;  // switches that could have AR groups when routes were computed
  std::set<Guid> routed_private;   // switches that could have private tables at that time
  /// True if no engine is configured and kAdaptiveDefaultEngine is the first engine to use: see
  /// sm/sweep/default_engine.h.
  bool adaptive_default = false;
  std::optional<std::vector<MulticastGroup>> planned_groups;  // groups of the current trees

  // Mastership
  bool first_as_master = true;  // until the first sweep as master or as only manager
  bool was_standby = false;     // another manager was master; until the first sweep as master

  // As last logged, or as found by the previous discovery
  std::vector<std::string> degraded_links;
  std::size_t ports_with_unstored_values = 0;
  std::vector<std::string> tree_notes;
  std::vector<std::string> shared_guids;
  std::map<Guid, unsigned> noted_over_lid_limit;  // CA ports with too many own LIDs, and the limit

  /// To be called when this manager becomes master after another manager, which may have changed
  /// any table and may have been master at the same time.
  void succeed_another_master() {
    first_as_master = true;
    held.forget_all();
    reregistrations.require_all();
    link_changes.forget_all();
  }

  /// To be called if another manager was master, or the files were replaced: guid2lid, the group
  /// numbers of leaves and guid2weight are read again.
  void forget_files() {
    lids.forget();
    group_numbers.forget();
    weights.forget();
  }

  std::optional<ProvedRoutes> proved_routes() const {
    if (!proof) return std::nullopt;
    const Snapshot& of = *proof->snapshot;
    return ProvedRoutes{of.fabric, of.routes, of.verdict, proof->dependencies};
  }

  /// The fabric as last programmed, or as discovered before that; null before the first discovery.
  const Fabric* active_fabric() const {
    if (snapshot) return &snapshot->fabric;
    return observed ? &observed->fabric : nullptr;
  }
  /// The endport of the active fabric with this LID; kNoEndport if there is none.
  EndportId endport_with(Lid lid) const {
    const Fabric* fabric = active_fabric();
    return fabric == nullptr ? kNoEndport : fabric->endport_of(lid);
  }
  /// PortInfo of the manager's own port; null before the first discovery.
  const PortInfo* own_port() const {
    if (!observed) return nullptr;
    const PortNum port =
        observed->self_endport == kNoEndport
            ? observed->self_port
            : observed->fabric.port(observed->fabric.endport(observed->self_endport).port).num;
    return &observed->nodes[observed->self.value()].ports[port.value()];
  }
  /// Whether the LID belongs to the manager's own port, or to another port of its CA by which the
  /// manager sends.
  bool is_own_lid(Lid lid) const {
    if (!observed || observed->self_endport == kNoEndport) return false;
    const auto has_lid = [&](const PortInfo& own) {
      return own.lid != kLidNone && lid.value() >> own.lmc == own.lid.value() >> own.lmc;
    };
    const auto& ports = observed->nodes[observed->self.value()].ports;
    return has_lid(*own_port()) || std::ranges::any_of(observed->more_own_ports, [&](PortNum port) {
             return port.value() < ports.size() && has_lid(ports[port.value()]);
           });
  }
  /// The switch with this LID; none if the LID belongs to no switch.
  std::optional<Guid> switch_at(Lid lid) const {
    const EndportId holder = endport_with(lid);
    if (holder == kNoEndport) return std::nullopt;
    const NodeId node = active_fabric()->endport(holder).node;
    if (!active_fabric()->is_switch(node)) return std::nullopt;
    return active_fabric()->node(node).node_guid;
  }
  Lid own_lid() const { return observed ? own_port()->lid : kLidNone; }
};

}  // namespace weft
