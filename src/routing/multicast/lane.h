// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Dependencies of unicast packets on one virtual lane, and master trees over all hosts that close
// no cycle with these dependencies.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "routes/routes.h"
#include "routing/multicast/tree.h"

namespace weft::multicast {

/// The unicast packets of which the turns are collected: packets between hosts, or also packets
/// between hosts and port 0 of switches.
enum class TrafficSources { kHosts, kHostsAndSwitches };

/// The turns of unicast packets with an SL on this VL. The SL2VL map must be the same everywhere.
TurnSet unicast_turns(const Fabric& fabric, const Routes& routes, const Turns& turns, Vl vl,
                      TrafficSources sources, unsigned threads);

/// The lane or lanes of multicast packets, with the acyclic turns of unicast packets and of the
/// master trees.
struct Lane {
  HeldTurns held;
  std::vector<Tree> masters;  // by part of the fabric; empty for a part without demands
};

/// Searches a master tree for each part; nullopt if no tree is found for a part. `turns` and
/// `unicast` are the turns of the lane, or of all `lanes` if multicast packets, or packets in the
/// same graph, change lanes. `demands` is by part. The search is bounded to some roots of each
/// part, alternately switches near all hosts and switches at which packets make nearly every turn.
std::optional<Lane> make_lane(const Fabric& fabric, const Turns& turns, const TurnSet& unicast,
                              std::optional<SlLanes> lanes,
                              std::span<const std::vector<SwitchId>> parts,
                              std::span<const std::vector<Demand>> demands, TreeMaker& maker);

}  // namespace weft::multicast
