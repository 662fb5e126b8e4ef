// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast trees in addition to unicast routes: one tree for each group, so that each member
// receives one copy, and multicast and unicast packets together are deadlock-free.
//
// Candidates are trees of shortest paths from switches near all members. The load rule selects the
// candidate, so that trees spread over roots and channels in proportion to the link rates
// (routing/multicast/tree_choice.h). Its turns are added to the turns of unicast packets on the
// same lane. If the added turns close a cycle, other candidates are tried, and then the group's
// part of a master tree over all hosts. This part closes no cycle, because the turns of the master
// tree were reserved before the turns of any group. If no lane has a master tree without a cycle,
// multicast uses a lane without unicast packets; if there is no such lane, a note reports the
// possible deadlock.
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
  Sl2Vl sl2vl;           // map of the routes, or a map with an additional lane
  unsigned vls = 1;
  /// Messages for the administrator: unreachable members, the SL and VL of multicast if they are
  /// not those of other routes, and trees that may deadlock.
  std::vector<std::string> notes;
};

/// Computes trees for all groups, in order of their LIDs. If the turns of two trees together close
/// a cycle, the group with the lower LID has precedence. For torus-2QoS, the trees are parts of
/// torus_multicast_tree() if there is one. Fails with kBadInput on a LID that is not a multicast
/// LID or is given twice. Cost: O(switches * LIDs) for the unicast turns, then O(switches * members
/// + tree) a group, and up to 64 trees over all hosts for the load rule.
Result<MulticastPlan> plan_multicast(const Fabric& fabric, const Routes& routes,
                                     const MulticastOptions& options,
                                     std::span<const MulticastGroup> groups);

/// Whether there is a lane on which trees of any groups close no cycle with unicast packets,
/// including packets to and from port 0 of switches. Engines that use all lanes check their routes
/// with this function. Cost: that of plan_multicast() before its first group.
bool has_multicast_lane(const Fabric& fabric, const Routes& routes,
                        const MulticastOptions& options);

/// Whether the ports have a further VL for multicast, or has_multicast_lane() returns true.
bool allows_multicast(const Fabric& fabric, const Routes& routes, const MulticastOptions& options);

/// Stores a plan in the routes that it was computed for; replaces the notes of an earlier plan.
void add_multicast(MulticastPlan plan, Routes& routes);

}  // namespace weft
