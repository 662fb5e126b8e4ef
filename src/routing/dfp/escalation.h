// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Virtual lanes of a dragonfly, selected by the input and output port of a switch. There is one SL,
// so requests and replies use the same lanes.
//
// Groups are ordered. With two lanes, a packet uses VL 0 on its first cable and on cables between
// groups, and VL 1 on other cables within a group. With three lanes, a packet uses VL 0 on a cable
// to a higher group and VL 1 on a cable to a lower group. Within a group, the packet uses VL 0 on
// its first cable, VL 1 after a cable from a lower group, and otherwise VL 2. So paths over an
// intermediate group are free of cycles, too, unless a cable to a lower group precedes a cable to a
// higher group. Paths use cables and VLs in this order:
//   2 lanes: first cable within a group (VL 0), between groups (VL 0), within a group (VL 1)
//   3 lanes: first cable within a group (VL 0); to higher groups (VL 0), and within these groups
//   (VL 1); to lower groups (VL 1), and within these groups (VL 2)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routes/adaptive.h"
#include "routes/lfts.h"
#include "routes/sl2vl.h"
#include "routing/deadlock/turns.h"
#include "routing/topology.h"

namespace weft::dfp {

inline constexpr unsigned kLanesForDetours = 3;

class Escalation {
 public:
  /// `lanes` is 1 (all packets on VL 0), 2 or 3.
  Escalation(const Fabric& fabric, const Turns& turns, const SwitchGroups& groups, unsigned lanes);

  unsigned lanes() const { return lanes_; }
  Sl2Vl maps() const;

  /// Collects the dependencies of all packets between CAs, and between CAs and port 0 of switches.
  /// `left_out`: by pair of switches, symmetric: whether the pair is excluded; empty: no pair is
  /// excluded.
  void add_traffic(const Lfts& lfts, const std::vector<bool>& left_out = {});
  /// Like add_traffic(), for all possible paths with adaptive routing.
  void add_choices(const Lfts& lfts, const ArTables& adaptive);
  bool is_acyclic() const;
  /// The dependencies by turn; bit from * lanes() + to: from lane `from` to lane `to`.
  const std::vector<std::uint16_t>& dependencies() const { return seen_; }
  /// Returns the channels of a path with their lanes, as channel * lanes() + lane.
  std::vector<std::uint32_t> with_lanes(std::span<const std::uint32_t> path) const;
  /// Packets that could be part of a cycle, by LID, then by source switch; without these packets
  /// there is no cycle.
  struct Packet {
    SwitchId from;
    Lid lid;
  };
  std::vector<Packet> irregular_packets(const Lfts& lfts) const;

 private:
  enum class Kind : std::uint8_t { kLocal, kUp, kDown };

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
  std::vector<Kind> kind_;           // by channel
  std::vector<std::uint16_t> seen_;  // by turn: a bit for each pair of lanes
};

}  // namespace weft::dfp
