// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast trees in addition to unicast routes: one tree for each group, so that each member
// receives one copy, and multicast and unicast packets together are deadlock-free.
//
// The first candidate is OpenSM's tree: shortest paths from the switch that is nearest to all
// members. Its turns are added to those of unicast packets on the same lane. If that closes a
// cycle, other roots are tried, and then the group's part of a master tree over all hosts, which
// always fits because its turns were reserved before those of any group. If no lane can take a
// master tree, an unused lane is used.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/option_groups.h"

namespace weft {

struct MulticastPlan {
  Mfts mfts;
  std::map<Lid, Sl> sl;  // of groups that need another SL than 0
  Sl2Vl sl2vl;           // that of the routes, or one with an additional lane
  unsigned vls = 1;
  /// For the administrator: unreachable members, trees that may deadlock.
  std::vector<std::string> notes;
};

/// Trees for all groups, in order of their LIDs; if the turns of two trees together close a cycle,
/// the group with the lower LID has precedence. Fails with kBadInput on a LID that is not a
/// multicast LID or is given twice.
/// Cost: O(switches * LIDs) for the unicast turns, then O(switches * members + tree) a group.
Result<MulticastPlan> plan_multicast(const Fabric& fabric, const Routes& routes,
                                     const MulticastOptions& options,
                                     std::span<const MulticastGroup> groups);

/// Is there a lane on which trees of any groups close no cycle with unicast packets, including
/// packets to and from port 0 of switches? Engines that use all lanes check their routes with this
/// function. Cost: that of plan_multicast() before its first group.
bool takes_multicast(const Fabric& fabric, const Routes& routes, const MulticastOptions& options);

/// Does multicast have a lane of its own, or trees that close no cycle with unicast packets?
bool leaves_room_for_multicast(const Fabric& fabric, const Routes& routes,
                               const MulticastOptions& options);

/// Stores a plan in the routes that it was computed for.
void add_multicast(MulticastPlan plan, Routes& routes);

}  // namespace weft
