// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A graph of dependencies between channels on several lanes that stays acyclic while paths are
// added. All pairs of channel and lane have a topological order. This is AcyclicTurns
// (deadlock/acyclic_turns.h) for paths that change lanes. Source: Pearce and Kelly, "A dynamic
// topological sort algorithm for directed acyclic graphs", ACM Journal of Experimental Algorithmics
// 11, 2006.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/deadlock/turns.h"

namespace weft::dfp {

class LaneOrder {
 public:
  /// A vertex is channel * lanes + lane.
  using Vertex = std::uint32_t;

  /// Begins with dependencies without a cycle: `held` is by turn; bit from * lanes + to: from lane
  /// `from` to lane `to`. After `visits_max` visits of vertices, paths that contradict the order
  /// are rejected.
  LaneOrder(const Turns& turns, unsigned lanes, std::vector<std::uint16_t> held,
            std::uint64_t visits_max);

  /// Adds all paths. Returns false, without added paths, if the paths would close a cycle or
  /// contradict the order after the limit of visits.
  bool add_paths(std::span<const std::vector<Vertex>> paths);

 private:
  struct Edge {
    Vertex from, to;
  };
  bool add_path(std::span<const Vertex> path);
  void undo();
  bool has(Vertex from, Vertex to) const;
  void flip(Vertex from, Vertex to);
  bool restore_order(Vertex from, Vertex to);
  template <class Body>
  void each_out(Vertex from, const Body& body) const;
  template <class Body>
  void each_in(Vertex to, const Body& body) const;

  const Turns& turns_;
  const unsigned lanes_;
  std::vector<std::uint16_t> held_;  // by turn
  std::uint64_t visits_left_;
  std::vector<std::uint32_t> place_;  // by vertex
  std::vector<std::uint8_t> seen_;    // by vertex; all 0 between calls
  std::vector<Edge> added_;           // dependencies that the last call of add_paths() added
};

}  // namespace weft::dfp
