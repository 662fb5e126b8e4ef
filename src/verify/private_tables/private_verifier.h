// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies adaptive routes with private forwarding tables (pLFTs). As in adaptive_verifier.h, an
// adversary selects the port at every switch. In addition, the input port and the SL of a packet
// determine the table that it meets at each switch. So packets are followed from channel to
// channel, and a packet loops only if it returns to a switch with the same table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"
#include "verify/step.h"
#include "verify/verify.h"

namespace weft {

/// One object per task. The routes must have `adaptive` with private tables. All arguments must
/// outlive the object. Cost for each LID: O(channels * VLs * SLs in use).
class PrivateVerifier {
 public:
  PrivateVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                  const PathSls& sls, Dependencies& dependencies);

  /// Counts the arriving packets and adds the dependencies. The end of the packets of a switch is
  /// the worst end of the packets of its endports.
  void verify(Lid lid, std::size_t failures_max, LidTally& tally);
  /// Only adds the dependencies.
  void trace(Lid lid, LidTally& tally);

 private:
  using Vertex = DependencyGraph::Vertex;
  /// A packet that leaves a switch through a port; `wanted` has no channel if its path ends there.
  struct Hop {
    std::optional<Vertex> held;
    Vertex wanted;
    SwitchId at;
    PortNum out;
  };
  /// A switch with the table that it uses for a packet.
  struct State {
    SwitchId at;
    unsigned table = 0;
  };

  bool load(Lid lid);
  unsigned table_of(SwitchId at, PortNum in, Sl sl) const {
    return adaptive_.selection().table(at, in, sl);
  }
  std::size_t index(const State& state) const {
    return state.at.value() * std::size_t{adaptive_.table_count()} + state.table;
  }
  std::vector<Step> steps(const State& state) const;
  void find_ends();
  void find_end(const State& start, Sl sl);
  bool dropped(const Endport& source);
  void follow_traffic(LidTally& tally);
  void follow_all(SwitchId at, PortNum in, PathSls::Mask sls, DependencyGraph& graph,
                  LidTally& tally);
  /// Calls body(Hop) for each hop of packets that enter at a switch; `held` is empty at first. If
  /// body returns false, the hops after this hop are skipped.
  template <class Body>
  void follow(SwitchId at, PortNum in, Sl sl, const Body& body);
  std::size_t key(Vertex v) const { return v.channel.value() * std::size_t{common_.vls} + v.vl; }

  const Fabric& fabric_;
  const Routes& routes_;
  const ArTables& adaptive_;
  const Common& common_;
  const PathSls& sls_;
  Dependencies& dependencies_;
  std::array<Sl, kSlCount> first_like_{};  // by SL: the lowest SL with the same tables everywhere
  Lid lid_;
  EndportId owner_ = kNoEndport;
  std::vector<LidEnd> ends_;        // by switch
  std::vector<LidEnd> state_ends_;  // by index()
  std::vector<std::uint8_t> open_;  // by index()
  std::vector<std::uint16_t> seen_lid_;
  std::vector<PathSls::Mask> seen_;     // by channel and VL: SLs followed to the LID in seen_lid_
  std::vector<std::uint32_t> visited_;  // by channel and VL: last search_ that visited it
  std::uint32_t search_ = 0;
  std::vector<Vertex> pending_;
};

}  // namespace weft
