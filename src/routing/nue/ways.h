// All ways toward one destination switch that the order of a layer allows together: whatever way
// each switch chooses for a packet, every turn goes to a later arc.
//
// Grown from the destination, level by level. A switch that joins takes every arc to the last level
// that is allowed there, but drops the earliest of them where these would shut out a switch that
// has no other way to join next: its own neighbours may only use arcs before its earliest one.
// Where switches remain shut out for good, the escape path of each of them is laid down first and
// the rest is grown again around it; in the end that is the escape tree, so this always succeeds.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"
#include "routing/nue/order.h"
#include "routing/shared/hop_dag.h"

namespace weft::nue {

class Ways {
 public:
  static constexpr std::uint32_t kFar = 0xFFFFFFFF;

  /// A switch with its arcs, in arcs_used(); those that reach the destination by fewer hops first.
  struct Member {
    std::uint32_t sw = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  /// `back` is places_back of the order. All must stay for as long as this does.
  Ways(const Arcs& arcs, const Escape& escape, const Order& order, const Order& back);

  void grow(std::uint32_t destination);

  std::uint32_t destination() const { return destination_; }
  std::span<const Member> members() const { return members_; }
  std::span<const std::uint32_t> arcs_of(const Member& member) const {
    return std::span(used_).subspan(member.begin, member.end - member.begin);
  }
  std::uint32_t hops(std::uint32_t sw) const { return hops_[sw]; }
  std::span<const std::uint32_t> by_distance() const { return by_distance_; }
  std::uint32_t shortest(std::uint32_t sw) const { return shortest_[sw]; }

  /// Weight of the switches whose ways are longer than the shortest.
  std::uint64_t detoured(std::span<const std::uint32_t> weight) const;
  /// Are these all the shortest paths there are?
  bool full() const { return used_.size() == shortest_arcs_; }
  void fill(HopDag& dag) const;

 private:
  /// Arcs before this may be followed by any of the switch's.
  static constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
  struct Candidate {
    std::uint32_t place;
    std::uint32_t arc;
  };

  void search_shortest();
  bool grow_once();
  void join(std::uint32_t level);
  void hope(std::uint32_t sw, std::uint32_t latest);
  void choose(std::uint32_t index);
  void lay_escape();

  const Arcs& arcs_;
  const Escape& escape_;
  const Order& order_;
  const Order& back_;
  std::uint32_t destination_ = 0;
  std::size_t shortest_arcs_ = 0;
  std::vector<Member> members_;
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint32_t> shortest_;
  std::vector<std::uint32_t> by_distance_;  // what the destination is connected to, nearest first
  std::vector<std::uint32_t> earliest_;     // by switch that has joined: of its arcs
  std::vector<std::uint32_t> locked_;       // by switch: the only arc it may take, or kNoArc
  // Of the level being grown.
  std::vector<std::uint32_t> joining_;
  std::vector<std::uint32_t> before_;  // who joined at the level before
  std::vector<std::uint32_t> candidates_begin_;
  std::vector<Candidate> candidates_;  // by joining switch, latest first
  std::vector<std::uint32_t> hopes_;   // by switch: how many of the joining it may still join by
  std::vector<std::uint32_t> tree_;    // scratch: the arc of the escape path down, by switch
};

}  // namespace weft::nue
