// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Moves within one tree of next hops: a switch with all that sends over it takes another candidate
// where that is cheaper.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/reweight/arcs.h"
#include "routing/reweight/potential.h"
#include "routing/shapes/hop_dag.h"

namespace weft::reweight {

inline constexpr std::uint8_t kNoStep = 0xFF;

/// A tree of next hops toward one switch. By switch: its arc, counted from the first that leaves
/// the switch; kNoStep at the destination and where there is no path.
using Tree = std::span<std::uint8_t>;

inline std::uint32_t arc_of(const Arcs& arcs, std::span<const std::uint8_t> tree,
                            std::uint32_t sw) {
  return arcs.first[sw] + tree[sw];
}

/// Flows of all hosts along the tree, `weight` each: fills `flows`, by switch; body(arc, flows) is
/// called for each member. `tree` must have a step at each member of the DAG.
template <class Body>
void each_flow(const Arcs& arcs, const HopDag& dag, std::span<const std::uint8_t> tree,
               std::uint64_t weight, std::vector<std::uint64_t>& flows, const Body& body) {
  flows.assign(arcs.switches(), 0);
  const auto members = dag.members();
  for (std::size_t i = members.size(); i-- > 0;) {
    const std::uint32_t sw = members[i].sw;
    const std::uint32_t arc = arc_of(arcs, tree, sw);
    flows[sw] += arcs.hosts[sw] * weight;
    flows[arcs.head[arc]] += flows[sw];
    body(arc, flows[sw]);
  }
}

/// Has each member of the DAG one of its candidates in the tree?
bool follows(const Arcs& arcs, const HopDag& dag, std::span<const std::uint8_t> tree);

class TreeMoves {
 public:
  explicit TreeMoves(const Arcs& arcs) : arcs_(arcs) {}

  /// Moves the switches of the tree, nearest first, each to the candidate of least potential if
  /// that is less than its own by the part 1 / least_gain; 0: by anything. `load` includes the
  /// tree's flows and follows them. False if nothing moved. `may_move(switch, arc)` is asked before
  /// a move, `moved(switch)` is called after it.
  template <class MayMove, class Moved>
  bool improve(const HopDag& dag, const Potential& potential, std::uint64_t weight,
               unsigned least_gain, Tree tree, std::vector<std::uint64_t>& load,
               const MayMove& may_move, const Moved& moved);

 private:
  /// Adds (or with -1 subtracts) the subtree's flows along its path.
  void add(const HopDag& dag, std::span<const std::uint8_t> tree, std::uint32_t sw,
           std::uint64_t flows, std::vector<std::uint64_t>& load, bool subtract);
  std::uint64_t cost(const HopDag& dag, const Potential& potential,
                     std::span<const std::uint8_t> tree, std::uint32_t arc, std::uint64_t flows,
                     const std::vector<std::uint64_t>& load) const;

  const Arcs& arcs_;
  std::vector<std::uint64_t> flows_;  // by switch
};

inline void TreeMoves::add(const HopDag& dag, std::span<const std::uint8_t> tree, std::uint32_t sw,
                           std::uint64_t flows, std::vector<std::uint64_t>& load, bool subtract) {
  const std::uint64_t change = subtract ? ~flows + 1 : flows;  // modulo 2^64
  for (std::uint32_t at = sw; at != dag.destination().value();) {
    const std::uint32_t arc = arc_of(arcs_, tree, at);
    load[arc] += change * arcs_.time[arc];
    if (at != sw) flows_[at] += change;
    at = arcs_.head[arc];
  }
}

/// Of a path that begins with the arc: the growth of the potential, to a constant factor, since
/// each arc's load grows from without to with these flows.
inline std::uint64_t TreeMoves::cost(const HopDag& dag, const Potential& potential,
                                     std::span<const std::uint8_t> tree, std::uint32_t arc,
                                     std::uint64_t flows,
                                     const std::vector<std::uint64_t>& load) const {
  constexpr unsigned kShift = 8;  // Potential::of() times kFlowTime would exceed 64 bits
  std::uint64_t sum = 0;
  for (;;) {
    const std::uint64_t time = arcs_.time[arc];
    sum += potential.of(load[arc] + flows * time / 2) * (time >> kShift) >> kShift;
    const std::uint32_t to = arcs_.head[arc];
    if (to == dag.destination().value()) return sum;
    arc = arc_of(arcs_, tree, to);
  }
}

template <class MayMove, class Moved>
bool TreeMoves::improve(const HopDag& dag, const Potential& potential, std::uint64_t weight,
                        unsigned least_gain, Tree tree, std::vector<std::uint64_t>& load,
                        const MayMove& may_move, const Moved& moved) {
  each_flow(arcs_, dag, tree, weight, flows_, [](std::uint32_t, std::uint64_t) {});
  bool changed = false;
  for (const HopDag::Group& group : dag.groups()) {
    if (group.next_hops < 2) continue;
    for (std::uint32_t m = group.begin; m < group.end; ++m) {
      const HopDag::Member& member = dag.members()[m];
      const std::uint64_t flows = flows_[member.sw];
      if (flows == 0) continue;
      add(dag, tree, member.sw, flows, load, true);
      const std::uint32_t own = arc_of(arcs_, tree, member.sw);
      std::uint32_t best = own;
      std::uint64_t least = cost(dag, potential, tree, own, flows, load);
      if (least_gain > 0) least -= least / least_gain;
      for (const std::uint32_t arc : dag.channels(group, member)) {
        if (arc == own) continue;
        const std::uint64_t other = cost(dag, potential, tree, arc, flows, load);
        if (other >= least || !may_move(member.sw, arc)) continue;
        least = other;
        best = arc;
      }
      if (best != own) {
        tree[member.sw] = static_cast<std::uint8_t>(best - arcs_.first[member.sw]);
        moved(member.sw);
        changed = true;
      }
      add(dag, tree, member.sw, flows, load, false);
    }
  }
  return changed;
}

}  // namespace weft::reweight
