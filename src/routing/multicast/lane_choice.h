// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which lane multicast packets use: one on which their trees close no cycle with unicast packets,
// or a lane of their own.
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

/// All arguments must outlive it and the lane.
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

  /// The first SL with a lane that takes a master tree; else one on a lane of its own; else SL 0.
  /// Where packets change lanes on their path, a lane of its own comes first.
  LaneChoice choose();

 private:
  void note_no_tree(LaneChoice& choice) const;

  /// Packets of switches are included where they close no cycle.
  std::optional<Lane> try_lane(Vl vl, bool& may_deadlock);

  bool open_lane(LaneChoice& choice);

  /// For packets that change lanes on their path, without a free lane: searches for a tree that
  /// closes no cycle with unicast on all lanes. First with existing SLs, SL 0 before all, then with
  /// an unused one on each VL.
  bool share_lanes(LaneChoice& choice);

  bool share_lanes(const TurnSet& unicast, unsigned lanes,
                   std::span<const std::vector<Demand>> demands, LaneChoice& choice);

  std::vector<bool> vls_named() const;

  /// An SL that no path uses.
  std::optional<Sl> free_sl() const;

  const Fabric& fabric_;
  const Routes& routes_;
  const MulticastOptions& options_;
  const Membership& membership_;
  const std::vector<std::vector<Demand>> demands_;
  const Turns& turns_;                 // referenced by the lane
  std::optional<Turns>& laned_turns_;  // the same
  TreeMaker& maker_;
  const bool all_traffic_;  // require compatibility with packets of switches too
};

}  // namespace weft::multicast
