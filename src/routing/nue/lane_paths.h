// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All paths toward one destination switch, with a virtual lane for each source: the path of a
// source must ascend in the order of its lane, whichever arc each switch takes. A table has one
// next hop for all lanes, so the path of a switch must also be allowed on the lanes of the sources
// that use it.
//
// Paths are found as by LayerPaths. Switches of settled pairs take the arcs selected when the pair
// was settled if these arcs are possible. If switches remain unconnected, they are locked to their
// paths along the escape tree, with turns that every lane allows, and the paths of the other
// switches are computed again. If no other paths connect all switches, only the escape tree
// remains, so the search always succeeds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/dag_filler.h"
#include "routing/nue/escape.h"
#include "routing/nue/lane_orders.h"
#include "routing/nue/pair_lanes.h"
#include "routing/shapes/hop_dag.h"

namespace weft::nue {

class LanePaths {
 public:
  /// A switch with its arcs; see arcs_of(). Members are sorted by hops, nearest first.
  struct Member {
    std::uint32_t sw = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  /// All arguments must outlive this object. Every lane must allow all turns of the escape tree.
  LanePaths(const Arcs& arcs, const LaneOrders& orders, const PairLanes& pairs,
            const Escape& escape);

  /// Computes the paths to the destination.
  void grow(std::uint32_t destination);

  std::uint32_t destination() const { return destination_; }
  std::span<const Member> members() const { return members_; }
  std::span<const std::uint32_t> arcs_of(const Member& member) const {
    return std::span(used_).subspan(member.begin, member.end - member.begin);
  }
  std::uint32_t hops(std::uint32_t sw) const { return hops_[sw]; }
  /// Stores the paths of the last call of grow() in the DAG.
  void fill(HopDag& dag);

 private:
  struct Candidate {
    std::uint32_t arc = 0;
    bool taken = false;
  };
  /// The limit on one lane that suffices for the neighbors with this lane that have no possible
  /// next hop except the joining switch.
  struct Need {
    Limit limit = kClosed;  // the least limit that suffices
    std::uint32_t switches = 0;
    std::uint32_t lane = 0;
  };

  bool grow_once();
  void join(std::uint32_t level);
  void count_alternative(std::uint32_t sw);
  void choose(std::uint32_t sw);
  bool as_settled(std::uint32_t sw);
  void update_alternatives(std::uint32_t sw);
  void select(std::uint32_t sw);
  void take(std::uint32_t sw);
  void lock_paths();
  Limit* bounds(std::uint32_t sw, std::uint32_t candidate) {
    return bounds_.data() + (std::size_t{arcs_.begin[sw]} + candidate) * lanes_;
  }

  const Arcs& arcs_;
  const LaneOrders& orders_;
  const PairLanes& pairs_;
  const Escape& escape_;
  const std::size_t lanes_;
  std::span<const std::uint8_t> lane_;
  std::uint32_t destination_ = 0;
  std::vector<Member> members_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> hops_;
  std::vector<Limit> earliest_;        // by joined switch and lane: earliest of its arcs
  std::vector<std::uint32_t> locked_;  // by switch: the only arc that it may take, or kNoArc
  bool any_locked_ = false;
  // State of the current level.
  std::vector<std::uint32_t> joining_;
  std::vector<std::uint32_t> before_;   // switches that joined at the previous level
  std::vector<std::uint32_t> options_;  // by switch: candidates
  std::vector<Limit> latest_;           // by switch and lane: latest of the candidates
  std::vector<Candidate> candidates_;   // by arc: the candidates of a switch begin at its first arc
  std::vector<Limit> bounds_;           // by candidate and lane
  std::vector<std::uint32_t>
      alternatives_;                 // by switch: joining switches that can still be its next hop
  std::vector<Need> needs_;          // by lane
  std::vector<std::uint32_t> tree_;  // by switch: the arc of the escape tree
  DagFiller filler_;
};

}  // namespace weft::nue
