// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Update plan from the active routes to new routes on a running fabric: an order of table writes
// without loops for any destination (table_order.h). If possible, the writes are in stages of
// destinations that keep the combined channel dependencies of old and new routes acyclic; otherwise
// the deadlock risk is reported. Explained in docs/explanation/transitions.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/programming/diff.h"
#include "sm/programming/held_tables.h"
#include "verify/dependencies.h"

namespace weft {

/// Whether channel dependencies may be cyclic during the update.
enum class Exposure : std::uint8_t {
  kNothingChanges,  // no entry that carries packets changes
  kNone,            // combined dependencies stay acyclic
  kCycle,           // cyclic at times: a deadlock is possible, not certain
  kNotVerified      // not checked: old SLs or multicast tables unknown, or too many entries
};
std::string_view name(Exposure exposure);

struct TransitionReport {
  std::uint64_t rounds = 0;          // rounds of table writes, one after the other
  std::uint64_t extra_writes = 0;    // partial writes of blocks beyond the first
  std::uint64_t ordered_lids = 0;    // LIDs that could loop in another order
  std::uint64_t unordered_lids = 0;  // LIDs with a loop in the new routes
  std::uint64_t stages = 0;          // stages of destinations
  /// Risk while tables change.
  Exposure tables = Exposure::kNothingChanges;
  std::uint64_t table_channels = 0;          // (channel, VL) pairs on cycles, in the worst round
  std::uint64_t table_channels_unicast = 0;  // the same for unicast packets only
  std::uint64_t exposed_rounds = 0;          // rounds with cycles
  /// Risk after the update of the tables, while SL2VL changes and as long as hosts use the old SLs.
  Exposure lanes = Exposure::kNothingChanges;
  std::uint64_t lane_channels = 0;
  std::uint64_t lane_channels_unicast = 0;
  std::uint64_t sl_changes = 0;  // pairs of a source switch and a LID
  double seconds = 0;
};

/// The active routes; null if unknown, as after another manager.
struct RoutesBefore {
  const Fabric* fabric = nullptr;
  const Routes* routes = nullptr;
};

/// Orders plan[Phase::kTables]. The result does not depend on `threads`. `ignore_replies`: as for
/// verify(). `proved`: dependencies of all unicast packets of `wanted`, if the verifier found no
/// cycle in them; reduces the cost of small changes (change_exposure.h).
TransitionReport plan_transition(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                                 const RoutesBefore& before, Plan& plan, unsigned threads,
                                 bool ignore_replies = false,
                                 const DependencyGraph* proved = nullptr);

/// Warnings about the deadlock risk and about LIDs without a loop-free order, for the log.
std::vector<std::string> warnings_of(const TransitionReport& report);

}  // namespace weft
