// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Moves within one tree of next hops: the next hop of a switch, and with it all paths over the
// switch, changes to a cheaper candidate. Two paths that share consecutive arcs cost less than
// paths that share single arcs (turn_loads.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/reweight/arcs.h"
#include "routing/reweight/potential.h"
#include "routing/reweight/turn_loads.h"
#include "routing/shapes/hop_dag.h"

namespace weft::reweight {

inline constexpr std::uint8_t kNoStep = 0xFF;

/// A tree of next hops toward one switch. By switch: the index of its arc among the arcs that leave
/// the switch; kNoStep at the destination, and at a switch without a path.
using Tree = std::span<std::uint8_t>;

inline std::uint32_t arc_of(const Arcs& arcs, std::span<const std::uint8_t> tree,
                            std::uint32_t sw) {
  return arcs.first[sw] + tree[sw];
}

/// Computes the flows of all hosts along the tree, `weight` each. Fills `flows`, by switch, and
/// calls body(arc, flows) for each member of the DAG. `tree` must have a step at each member of the
/// DAG.
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

/// Whether the tree's arc of each member of the DAG is a candidate of this member.
bool follows(const Arcs& arcs, const HopDag& dag, std::span<const std::uint8_t> tree);

class TreeMoves {
 public:
  /// Keeps references to both arguments; `turns` need not be updated between moves within one tree.
  TreeMoves(const Arcs& arcs, const TurnLoads& turns) : arcs_(arcs), turns_(turns) {}

  /// Changes the next hops of the tree, nearest switch first. A switch changes to the candidate of
  /// least cost if this cost is less than the current cost by more than the part 1 / least_gain; 0:
  /// by any amount. `load` includes the flows of the tree and is updated. Returns false if no next
  /// hop changed. `may_move(switch, arc)` is called before a move and can forbid it;
  /// `moved(switch)` is called after the move.
  template <class MayMove, class Moved>
  bool improve(const HopDag& dag, const Potential& potential, std::uint64_t weight,
               unsigned least_gain, Tree tree, std::vector<std::uint64_t>& load,
               const MayMove& may_move, const Moved& moved);

 private:
  /// Adds `flows` to the load of each arc of the path from `sw`, or subtracts them if `subtract`.
  void add(const HopDag& dag, std::span<const std::uint8_t> tree, std::uint32_t sw,
           std::uint64_t flows, std::vector<std::uint64_t>& load, bool subtract);
  std::uint64_t cost(const HopDag& dag, const Potential& potential,
                     std::span<const std::uint8_t> tree, std::uint32_t sw, std::uint32_t arc,
                     std::uint64_t flows, const std::vector<std::uint64_t>& load) const;
  std::uint64_t together(std::span<const std::uint8_t> tree, std::uint32_t sw, std::uint32_t arc,
                         std::uint64_t flows) const;
  void find_senders(const HopDag& dag, std::span<const std::uint8_t> tree);

  const Arcs& arcs_;
  const TurnLoads& turns_;
  std::vector<std::uint64_t> flows_;                 // by switch
  std::vector<std::vector<std::uint32_t>> senders_;  // by switch: switches with an arc to it
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

/// Mean, over the flows through the switch, of the number of flows that enter the switch by the
/// same arc and leave it by `arc`.
inline std::uint64_t TreeMoves::together(std::span<const std::uint8_t> tree, std::uint32_t sw,
                                         std::uint32_t arc, std::uint64_t flows) const {
  __extension__ using Wide = unsigned __int128;
  Wide sum = 0;
  for (const std::uint32_t s : senders_[sw])
    sum += Wide{turns_.of(arc_of(arcs_, tree, s), arc)} * flows_[s];
  return static_cast<std::uint64_t>(sum / flows);
}

/// Cost of the path that begins at the switch with this arc: up to a constant factor, the growth of
/// the potential when these flows are added to each arc. The part of an arc's load that arrives by
/// the same previous arc has a quarter of the weight, because the path already shares that arc with
/// these flows.
inline std::uint64_t TreeMoves::cost(const HopDag& dag, const Potential& potential,
                                     std::span<const std::uint8_t> tree, std::uint32_t sw,
                                     std::uint32_t arc, std::uint64_t flows,
                                     const std::vector<std::uint64_t>& load) const {
  constexpr unsigned kShift = 8;  // Potential::of() times kFlowTime would exceed 64 bits
  constexpr std::uint64_t kWhole = 256;
  std::uint64_t sum = 0;
  for (std::uint64_t met = together(tree, sw, arc, flows);;) {
    const std::uint64_t time = arcs_.time[arc];
    const std::uint64_t whole =
        potential.of(load[arc] + flows * time / 2) * (time >> kShift) >> kShift;
    const std::uint64_t unit = std::max<std::uint64_t>(1, (load[arc] + flows * time) / kWhole);
    const std::uint64_t part = std::min(kWhole, met * time / unit);
    sum += whole - whole / kWhole * (part * 3 / 4);
    const std::uint32_t to = arcs_.head[arc];
    if (to == dag.destination().value()) return sum;
    const std::uint32_t next = arc_of(arcs_, tree, to);
    met = turns_.of(arc, next);
    arc = next;
  }
}

inline void TreeMoves::find_senders(const HopDag& dag, std::span<const std::uint8_t> tree) {
  senders_.resize(arcs_.switches());
  for (auto& senders : senders_) senders.clear();
  for (const HopDag::Member& member : dag.members())
    senders_[arcs_.head[arc_of(arcs_, tree, member.sw)]].push_back(member.sw);
}

template <class MayMove, class Moved>
bool TreeMoves::improve(const HopDag& dag, const Potential& potential, std::uint64_t weight,
                        unsigned least_gain, Tree tree, std::vector<std::uint64_t>& load,
                        const MayMove& may_move, const Moved& moved) {
  each_flow(arcs_, dag, tree, weight, flows_, [](std::uint32_t, std::uint64_t) {});
  find_senders(dag, tree);
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
      std::uint64_t least = cost(dag, potential, tree, member.sw, own, flows, load);
      if (least_gain > 0) least -= least / least_gain;
      for (const std::uint32_t arc : dag.channels(group, member)) {
        if (arc == own) continue;
        const std::uint64_t other = cost(dag, potential, tree, member.sw, arc, flows, load);
        if (other >= least || !may_move(member.sw, arc)) continue;
        least = other;
        best = arc;
      }
      if (best != own) {
        tree[member.sw] = static_cast<std::uint8_t>(best - arcs_.first[member.sw]);
        moved(member.sw);
        std::erase(senders_[arcs_.head[own]], member.sw);
        senders_[arcs_.head[best]].push_back(member.sw);
        changed = true;
      }
      add(dag, tree, member.sw, flows, load, false);
    }
  }
  return changed;
}

}  // namespace weft::reweight
