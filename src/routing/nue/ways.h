// All ways toward one destination switch that the order of a layer allows together: whatever way
// each switch chooses for a packet, every turn goes to a later arc.
//
// Grown from the destination, level by level. A switch that joins takes every arc to the last level
// that is allowed there, but drops the earliest of them where these would shut out a switch that
// has no other way to join next: its own neighbours may only use arcs before its earliest one.
// Where switches remain shut out for good, a path of each is laid down first and the rest is grown
// again around it. These paths are of one tree: each switch goes by the latest arc from which the
// order lets it reach the destination at all, so its neighbours may use whatever can be used. In
// the end that tree is all there is, so this always succeeds.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/order.h"
#include "routing/shared/hop_dag.h"

namespace weft::nue {

class Ways {
 public:
  static constexpr std::uint32_t kFar = 0xFFFFFFFF;

  /// A switch with its arcs, in arcs_used(). Nearer ones come first.
  struct Member {
    std::uint32_t sw = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  /// `arcs` must stay for as long as this does.
  explicit Ways(const Arcs& arcs);

  /// The order must let all that is connected to the destination reach it.
  void grow(const Ranking& ranking, std::uint32_t destination);

  std::uint32_t destination() const { return destination_; }
  std::span<const Member> members() const { return members_; }
  std::span<const std::uint32_t> arcs_of(const Member& member) const {
    return std::span(used_).subspan(member.begin, member.end - member.begin);
  }
  std::size_t arcs_used() const { return used_.size(); }
  std::uint32_t hops(std::uint32_t sw) const { return hops_[sw]; }
  void fill(HopDag& dag);

 private:
  /// Arcs before this may be followed by any of the switch's.
  static constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
  struct Candidate {
    std::uint32_t place;
    std::uint32_t arc;
  };

  bool grow_once();
  void join(std::uint32_t level);
  void hope(std::uint32_t sw);
  void choose(std::uint32_t sw);
  void take(std::uint32_t sw, std::uint32_t needed);
  void lay_paths();
  std::span<const Candidate> candidates_of(std::uint32_t sw) const {
    return std::span(candidates_).subspan(arcs_.begin[sw], options_[sw]);
  }

  const Arcs& arcs_;
  const Ranking* ranking_ = nullptr;  // of the last call
  std::uint32_t destination_ = 0;
  std::vector<Member> members_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint32_t> earliest_;  // by switch that has joined: of its arcs
  std::vector<std::uint32_t> locked_;    // by switch: the only arc it may take, or kNoArc
  bool any_locked_ = false;
  // Of the level being grown.
  std::vector<std::uint32_t> joining_;
  std::vector<std::uint32_t> before_;   // who joined at the level before
  std::vector<std::uint32_t> options_;  // by switch: candidates
  std::vector<std::uint32_t> latest_;   // by switch: place of the latest of them
  std::vector<Candidate> candidates_;   // from the switch's first arc on
  std::vector<std::uint32_t> hopes_;    // by switch: how many of the joining it may still join by
  std::vector<std::pair<std::uint32_t, std::uint32_t>> channels_;  // scratch of fill()
  std::vector<std::uint32_t> tree_;  // scratch: the arc to reach the destination by, by switch
};

}  // namespace weft::nue
