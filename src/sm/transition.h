// From the routes in force to new ones on a running fabric: the order of table writes that keeps
// every destination free of loops (table_order.h), in stages of destinations that keep the
// dependencies of old and new routes together free of cycles where that can be, and what the
// traffic is exposed to where it cannot. docs/explanation/transitions.md explains.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/diff.h"
#include "sm/held_tables.h"

namespace weft {

/// Whether packets may wait for each other in a circle for a while.
enum class Exposure : std::uint8_t {
  kNothingChanges,  // of what carries packets
  kNone,            // old and new dependencies together have no cycle at any time
  kCycle,           // at times they have: a deadlock is possible, not certain
  kNotJudged        // old service levels or multicast tables are not known, or too many entries
};
std::string_view name(Exposure exposure);

struct TransitionReport {
  std::uint64_t rounds = 0;          // of table writes; each waits for the one before
  std::uint64_t extra_writes = 0;    // blocks that are written in parts
  std::uint64_t ordered_lids = 0;    // could have had a loop in another order
  std::uint64_t unordered_lids = 0;  // the wanted routes loop themselves: no order helps
  std::uint64_t stages = 0;          // of destinations
  /// While tables change.
  Exposure tables = Exposure::kNothingChanges;
  std::uint64_t table_channels = 0;          // channels and lanes on cycles, in the worst stage
  std::uint64_t table_channels_unicast = 0;  // those of unicast packets alone; 0: multicast closes
  std::uint64_t exposed_rounds = 0;          // of those stages
  /// From then on, while SL2VL changes and as long as hosts use the service levels of before.
  Exposure lanes = Exposure::kNothingChanges;
  std::uint64_t lane_channels = 0;
  std::uint64_t lane_channels_unicast = 0;
  std::uint64_t sl_changes = 0;  // pairs of a source switch and a LID
  double seconds = 0;
};

/// What was in force: null where nobody knows, as after another manager.
struct RoutesBefore {
  const Fabric* fabric = nullptr;
  const Routes* routes = nullptr;
};

/// Orders plan[Phase::kTables]. Any number of threads gives the same. `ignore_replies`: as for
/// verify().
TransitionReport plan_transition(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                                 const RoutesBefore& before, Plan& plan, unsigned threads,
                                 bool ignore_replies = false);

/// What an administrator should hear of it; empty: nothing.
std::vector<std::string> warnings_of(const TransitionReport& report);

}  // namespace weft
