// What a sweep did, and what it publishes: for callers, reports and metrics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/changes.h"
#include "fabric/fabric.h"
#include "ib/sm_info.h"
#include "routes/routes.h"
#include "sm/adaptive.h"
#include "sm/apply.h"
#include "sm/observed.h"
#include "sm/partitions.h"
#include "sm/qos_matcher.h"
#include "sm/route_chain.h"
#include "sm/smp_client.h"
#include "sm/transition.h"
#include "verify/verify.h"

namespace weft {

/// What one heavy sweep did.
struct SweepReport {
  std::string reason;  // for the sweep
  bool up = false;     // the subnet is up: verified routes are in, and every SMP was answered well
  std::string error;   // why not; empty otherwise
  SmpCounts smps;      // of this sweep
  ApplyReport applied;
  ArReport adaptive;
  TransitionReport transition;  // with safe_transitions
  std::uint64_t table_blocks_read = 0;
  bool looked_around = false;  // only what changed was looked at, not the whole fabric
  unsigned restarts = 0;       // of the discovery, because the fabric changed meanwhile
  bool routes_reused =
      false;  // the graph and its LIDs are those of the last sweep, so the routes are
  bool routes_remembered = false;     // those of an earlier fabric still served (-A)
  std::vector<FabricChange> changes;  // of the fabric since the last sweep that published one
  std::vector<EngineAttempt> engines_failed;
  std::vector<std::string> warnings;
  std::vector<std::string> slow_links;  // cables below what both ends can do; the first of them
  struct {
    double observe = 0, read_tables = 0, lids = 0, route = 0, verify = 0, diff = 0, apply = 0;
    double total = 0;
  } seconds;  // of real time

  std::uint64_t table_blocks_written() const { return applied.done_in(Phase::kTables); }
  /// Over the stages that send: discovery, reading and programming.
  double smps_per_second() const {
    const double sending = seconds.observe + seconds.read_tables + seconds.apply;
    return sending > 0 ? static_cast<double>(smps.sent) / sending : 0;
  }
};

/// A subnet manager of the fabric, this one included.
struct KnownManager {
  Lid lid;  // of its port
  SmInfo info;
};

/// What a finished sweep publishes: immutable, shared with whoever asks.
struct Snapshot {
  Fabric fabric;
  Routes routes;
  Verdict verdict;
  LanePlan lanes;
  EndportId sm = kNoEndport;  // where the manager sits
  std::uint64_t sweep = 0;    // counts heavy sweeps
  SweepReport report;
  PkeyPlan pkeys{};                      // the P_Keys that ports hold
  std::vector<PartitionGroup> groups{};  // the multicast groups of the partitions
  std::vector<ObservedNode> nodes{};     // by NodeId: attributes as the ports hold them now
  std::vector<KnownManager> managers{};  // this one first
  QosMatcher qos{};                      // which level a query for paths gets
  PartitionFile partitions{};            // as their file has them
  Lid sm_lid() const { return fabric.endport(sm).lid; }
};

/// True where routing cannot tell the two apart: the same nodes, cables, rates, lanes and LIDs.
bool same_for_routing(const Fabric& a, const Fabric& b);

}  // namespace weft
