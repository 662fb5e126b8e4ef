// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All next hops toward one destination switch that the order of a layer allows together: every turn
// ascends in the order, whichever next hop each switch uses.
//
// Paths are found from the destination, level by level. A switch joins when it takes arcs to
// switches of the previous level. The switch takes every arc that the order allows. It omits the
// earliest arcs if they would leave a neighbor without a next hop, because the neighbor may only
// use arcs before the earliest arc of the switch. If switches remain unconnected, a path of each
// such switch is fixed, and the paths of the other switches are computed again. The fixed paths
// form one tree: each switch takes the latest arc from which the order connects it to the
// destination, so its neighbors may use every usable arc. If no other paths connect all switches,
// only that tree remains, so the search always succeeds.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/dag_filler.h"
#include "routing/nue/order.h"
#include "routing/shapes/hop_dag.h"

namespace weft::nue {

class LayerPaths {
 public:
  /// A switch with its arcs, in arcs(). Members are sorted by hops, nearest first.
  struct Member {
    std::uint32_t sw = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  /// `arcs` must outlive this object.
  explicit LayerPaths(const Arcs& arcs);

  /// Computes the paths to the destination. The order must connect all switches of the part to the
  /// destination.
  void grow(const Ranking& ranking, std::uint32_t destination);

  std::uint32_t destination() const { return destination_; }
  std::span<const Member> members() const { return std::span(members_).first(member_count_); }
  std::span<const std::uint32_t> arcs_of(const Member& member) const {
    return std::span(used_).subspan(member.begin, member.end - member.begin);
  }
  std::span<const std::uint32_t> arcs() const { return std::span(used_).first(used_count_); }
  std::uint32_t hops(std::uint32_t sw) const { return growth_.data()[sw].hops; }
  /// Sum of `sent` over the switches with more hops to the destination than in `hops`. Both
  /// arguments are by switch.
  std::uint64_t detoured(std::span<const std::uint32_t> hops,
                         std::span<const std::uint32_t> sent) const;
  /// Stores the paths of the last call of grow() in the DAG.
  void fill(HopDag& dag);

 private:
  /// Limit that allows all arcs of a switch.
  static constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
  struct Candidate {
    std::uint32_t place;
    std::uint32_t arc;
  };

  /// State of one switch.
  struct Growth {
    std::uint32_t hops = kUnreachable;
    std::uint32_t options = 0;       // candidates
    std::uint32_t latest = 0;        // largest place of a candidate
    std::uint32_t alternatives = 0;  // joining switches that can still be its next hop
  };

  bool grow_once();
  void join(std::uint32_t level);
  void count_alternatives();
  std::uint32_t needed(std::uint32_t sw, std::span<const Incoming> onward) const;
  std::size_t join_over(std::uint32_t to, std::span<const Incoming> onward, std::size_t count);
  void take(std::uint32_t sw, std::uint32_t needed);
  void lock_paths();

  const Arcs& arcs_;
  const Ranking* ranking_ = nullptr;  // argument of the last call
  std::uint32_t destination_ = 0;
  std::vector<Member> members_;      // the first member_count_ are valid
  std::vector<std::uint32_t> used_;  // the first used_count_ are valid
  std::size_t member_count_ = 0;
  std::uint32_t used_count_ = 0;
  std::vector<Growth> growth_;           // by switch
  std::vector<std::uint32_t> earliest_;  // by joined switch: earliest of its arcs
  std::vector<std::uint32_t> locked_;    // by switch: the only arc it may take, or kNoArc
  bool any_locked_ = false;
  // State of the current level.
  std::vector<std::uint32_t> joining_;
  std::vector<std::uint32_t> before_;  // switches that joined at the previous level
  // Arcs into the switches in joining_, before their latest arc, from switches that have not
  // joined.
  std::vector<Incoming> onward_;
  std::vector<std::uint32_t> onward_end_;  // by index in joining_
  std::vector<Candidate> candidates_;  // by arc: the candidates of a switch begin at its first arc
  std::vector<std::uint32_t> tree_;    // scratch: by switch, the arc toward the destination
  DagFiller filler_;
};

}  // namespace weft::nue
