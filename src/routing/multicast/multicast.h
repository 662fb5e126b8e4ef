// Multicast trees beside unicast routes: one spanning tree a group, so that each member gets one
// copy, and such trees that multicast and unicast packets together never wait for each other in a
// circle.
//
// The tree that is tried first is OpenSM's: from the switch that is nearest to all members, along
// shortest ways. Its turns are joined to those that unicast packets make on the same lane. Where
// that closes a cycle, other roots are tried, and then what always fits: the group's part of a
// master tree over all hosts that was found before any group was looked at. Where no lane takes a
// master tree, a lane that nobody uses is opened.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

struct MulticastPlan {
  Mfts mfts;
  std::map<Lid, Sl> sl;  // of groups whose SL must not be 0
  Sl2Vl sl2vl;           // the routes', or one with a lane more
  unsigned vls = 1;
  /// What an administrator should know: members that nobody can reach, trees that may deadlock.
  std::vector<std::string> notes;
};

/// Trees for all groups, in order of their LIDs: what a group gets may depend on groups of lower
/// LIDs, where only some of all trees go together. Fails with kBadInput on a LID that is not a
/// multicast LID or is given twice.
/// Cost: O(switches * LIDs) for what unicast packets do, then O(switches * members + tree) a group.
Result<MulticastPlan> plan_multicast(const Fabric& fabric, const Routes& routes,
                                     const RoutingOptions& options,
                                     std::span<const MulticastGroup> groups);

/// Is there a lane on which trees of any groups close no cycle with unicast packets, those to and
/// from port 0 of switches included? Engines that leave no lane free ask this of their routes.
/// Cost: that of plan_multicast() before its first group.
bool takes_multicast(const Fabric& fabric, const Routes& routes, const RoutingOptions& options);

/// Puts a plan into the routes that it was made for.
void add_multicast(MulticastPlan plan, Routes& routes);

}  // namespace weft
