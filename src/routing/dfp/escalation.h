// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual lanes of a dragonfly, selected by the input and output port of a switch. There is one SL,
// so requests and replies use the same lanes.
//
// Groups are ordered. With two lanes, a packet uses VL 0 on its first cable and on cables between
// groups, and VL 1 on other cables within a group. With three lanes, a packet uses VL 0 on a cable
// to a higher group and VL 1 on a cable to a lower group. Within a group, the packet uses VL 0 on
// its first cable, VL 1 after a cable from a lower group, and otherwise VL 2. So paths over an
// intermediate group are free of cycles, too, unless a cable to a lower group precedes a cable to a
// higher group:
//   2 lanes: first cable, between groups, last cable
//   3 lanes: first cable, up and cables within, down and cables within
//
// With private tables (dfp2), two lanes are enough for paths over an intermediate group of a
// dragonfly+ that is higher than the source group. A packet uses VL 1 on a cable to a spine if it
// came from a spine, and on a cable to a leaf if it came from a higher group; otherwise VL 0. In
// each group, packets that enter it for a spine turn at the arrival leaf (spine_turns.h) and all
// other packets turn at other leaves:
//   first cable; by group: to a leaf, from this leaf to a spine, to a higher group; by group, in
//   reverse order: to a lower group; to the arrival leaf, from it to the spine, to the last leaf
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routes/routes.h"
#include "routing/deadlock/turns.h"
#include "routing/topology.h"

namespace weft::dfp {

inline constexpr unsigned kLanesForDetours = 3;
inline constexpr unsigned kLanesWithPrivateTables = 2;

class Escalation {
 public:
  /// `lanes` is 1 (all packets on VL 0), 2 or 3.
  Escalation(const Fabric& fabric, const Turns& turns, const SwitchGroups& groups, unsigned lanes);
  /// The two lanes with private tables, on a dragonfly+.
  static Escalation with_private_tables(const Fabric& fabric, const Turns& turns,
                                        const SwitchGroups& groups);

  unsigned lanes() const { return lanes_; }
  Sl2Vl maps() const;

  /// Collects the dependencies of all packets between CAs, and between CAs and port 0 of switches.
  /// `left_out`: by pair of switches, symmetric: whether the pair is excluded; empty: no pair is
  /// excluded.
  void add_traffic(const Lfts& lfts, const std::vector<bool>& left_out = {});
  /// Like add_traffic(), for all possible paths with adaptive routing of packets with SL 0.
  void add_choices(const Routes& routes);
  bool is_acyclic() const;
  /// The dependencies by turn; bit from * lanes() + to: from lane `from` to lane `to`.
  const std::vector<std::uint16_t>& dependencies() const { return seen_; }
  /// Returns the channels of a path with their lanes, as channel * lanes() + lane.
  std::vector<std::uint32_t> with_lanes(std::span<const std::uint32_t> path) const;
  /// Packets that are not in the order above, by LID, then by source switch; without these packets
  /// there is no cycle. Unless `every`, only packets that could be part of a cycle.
  struct Packet {
    SwitchId from;
    Lid lid;
  };
  std::vector<Packet> irregular_packets(const Lfts& lfts, bool every = false) const;
  /// Packets with SL 0 that are not in the order above for some selection of ports.
  std::vector<Packet> irregular_choices(const Routes& routes) const;

 private:
  enum class Kind : std::uint8_t { kLocal, kUp, kDown };

  bool has_private_tables() const { return !arrival_leaf_.empty(); }
  bool is_at_arrival_leaf(SwitchId sw) const { return arrival_leaf_[groups_.of[sw.value()]] == sw; }
  unsigned private_lane(std::uint32_t in, std::uint32_t out) const;
  std::uint64_t private_position(std::uint32_t channel, unsigned lane) const;
  unsigned first_lane(std::uint32_t out) const;
  unsigned lane(std::uint32_t in, std::uint32_t out) const;
  std::size_t vertex(std::uint32_t channel, unsigned lane) const {
    return std::size_t{channel} * lanes_ + lane;
  }
  std::uint16_t bit(unsigned from, unsigned to) const {
    return static_cast<std::uint16_t>(1u << (from * lanes_ + to));
  }
  /// Position of a vertex. A dependency is from a lower to a higher position, except for irregular
  /// packets.
  std::uint64_t position(std::uint32_t channel, unsigned lane) const;
  template <class Dependency>
  void follow_choices(const Routes& routes, Lid lid, std::span<const SwitchId> sources,
                      std::vector<std::uint32_t>& passed, std::uint32_t stamp,
                      const Dependency& dependency) const;
  std::vector<SwitchId> sources_of(const Routes& routes, Lid lid) const;
  void add_dependency(std::uint32_t in, unsigned from, std::uint32_t out, unsigned to) {
    seen_[turns_.turn(in, out)] |= bit(from, to);
  }
  /// The vertices that remain after repeated removal of vertices without a predecessor or without a
  /// successor.
  std::vector<bool> core() const;
  template <class Body>
  void each_next(std::size_t vertex, const Body& body) const;

  const Fabric& fabric_;
  const Turns& turns_;
  const SwitchGroups& groups_;
  unsigned lanes_;
  std::vector<Kind> kind_;              // by channel
  std::vector<std::uint8_t> to_leaf_;   // by channel: ends at a switch with hosts
  std::vector<SwitchId> arrival_leaf_;  // by group; empty without private tables
  std::vector<std::uint16_t> seen_;     // by turn: a bit for each pair of lanes
};

}  // namespace weft::dfp
