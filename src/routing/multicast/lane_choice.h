// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects the lane of multicast packets: a lane on which multicast trees close no cycle with
// unicast packets, or an unused lane.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "routing/deadlock/turns.h"
#include "routing/multicast/lane.h"
#include "routing/multicast/membership.h"
#include "routing/multicast/tree.h"
#include "routing/option_groups.h"

namespace weft::multicast {

/// The lane of multicast, and the SL that maps to it.
struct LaneChoice {
  Sl sl{0};
  std::optional<Lane> lane;  // empty: trees are not checked against unicast
  Sl2Vl sl2vl;
  unsigned vls = 1;
  std::vector<std::string> notes;
};

/// All arguments must outlive this object and the lane.
class LaneChooser {
 public:
  LaneChooser(const Fabric& fabric, const Routes& routes, const MulticastOptions& options,
              const Membership& membership, std::span<const MulticastGroup> groups,
              const Turns& turns, std::optional<Turns>& laned_turns, TreeMaker& maker,
              bool all_traffic)
      : fabric_(fabric),
        routes_(routes),
        options_(options),
        membership_(membership),
        demands_(membership.with_all_hosts(groups)),
        turns_(turns),
        laned_turns_(laned_turns),
        maker_(maker),
        all_traffic_(all_traffic) {}

  /// Selects the first SL with a lane on which a master tree closes no cycle, else an SL on an
  /// unused lane, else SL 0. If the routes depend on the input port, an unused lane is tried first.
  /// If the unicast packets of a lane alone have a cycle, selects SL 0 without a further search.
  LaneChoice choose();

 private:
  void note_no_tree(LaneChoice& choice) const;

  /// The lane for a VL; nullopt if no master tree fits. `may_deadlock` is set to whether the
  /// unicast packets between hosts alone have a cycle. Unicast packets to and from switches are
  /// included if they close no cycle with the tree.
  std::optional<Lane> try_lane(Vl vl, bool& may_deadlock);

  /// Selects an unused VL and an unused SL for multicast. Returns false if there is none.
  bool open_lane(LaneChoice& choice);

  /// If the routes depend on the input port and no lane is free, searches for a tree that closes no
  /// cycle with unicast packets on all lanes: first with existing SLs, beginning with SL 0, then
  /// with an unused SL on each VL. Returns false if there is none.
  bool share_lanes(LaneChoice& choice);

  bool share_lanes(const TurnSet& unicast, unsigned lanes,
                   std::span<const std::vector<Demand>> demands, LaneChoice& choice);

  /// By VL: whether an SL other than `except` maps to it. The SL of an earlier plan of multicast is
  /// excluded, so that the next plan uses the same VL.
  std::vector<bool> vls_used(std::optional<Sl> except) const;

  /// An SL that no path uses.
  std::optional<Sl> free_sl() const;

  const Fabric& fabric_;
  const Routes& routes_;
  const MulticastOptions& options_;
  const Membership& membership_;
  const std::vector<std::vector<Demand>> demands_;
  const Turns& turns_;                 // referenced by the lane
  std::optional<Turns>& laned_turns_;  // referenced by the lane
  TreeMaker& maker_;
  const bool all_traffic_;  // packets of switches must be included
};

}  // namespace weft::multicast
