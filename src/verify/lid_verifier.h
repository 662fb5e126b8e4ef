// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Follows packets to one LID after another through forwarding tables without adaptive routing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/next_hops.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/lid_ends.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"
#include "verify/step.h"

namespace weft {

/// One object per task. All arguments must outlive the object.
class LidVerifier {
 public:
  LidVerifier(const Fabric& fabric, const Routes& routes, const Common& common, const PathSls& sls,
              const NextHops& hops, Dependencies& dependencies);

  /// Counts the packets that arrive and adds the dependencies. `hops` must have the block of the
  /// LID loaded.
  void verify(Lid lid, std::size_t failures_max, LidTally& tally);
  /// Only counts the packets that arrive.
  void count(Lid lid, std::size_t failures_max, LidTally& tally);
  /// Only adds the dependencies.
  void trace(Lid lid, LidTally& tally);

 private:
  bool load(Lid lid);
  Step last_step(std::uint32_t at) const;
  SwitchId where_dropped(const Endport& source) const;
  SwitchId where_dropped_on(const Endport& source, Sl sl) const;
  void follow_traffic(LidTally& tally);
  void follow_from_cas(SwitchId sw, DependencyGraph& graph, LidTally& tally);
  void follow_lanes(SwitchId at, PathSls::Mask sls, DependencyGraph& graph);
  void follow_maps(SwitchId at, PortNum in, PathSls::Mask sls, DependencyGraph& graph,
                   LidTally& tally);
  void note_lanes_used(LidTally& tally) const;
  PathSls::Mask& seen(std::size_t key);
  PortNum out_port(SwitchId at) const { return routes_.lfts.port(at, lid_); }
  bool for_ca() const { return !fabric_.is_switch(fabric_.endport(owner_).node); }

  const Fabric& fabric_;
  const Routes& routes_;
  const Common& common_;
  const PathSls& sls_;
  const NextHops& hops_;
  Dependencies& dependencies_;
  const bool uniform_;  // the VL of a packet depends on its SL only
  Lid lid_;
  EndportId owner_;
  std::span<const ChannelId> channel_;  // by switch, for this LID
  std::span<const SwitchId> to_;
  LidEnds ends_;
  // VLs by switch, or SLs by channel and VL, that were already followed to this LID. Valid if the
  // element of seen_lid_ is this LID.
  std::vector<std::uint16_t> seen_lid_;
  std::vector<PathSls::Mask> seen_;
};

}  // namespace weft
