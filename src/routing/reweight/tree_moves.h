// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Moves within one tree of next hops: the next hop of a switch, and with it all paths over the
// switch, changes to a cheaper candidate. Two paths that share consecutive arcs cost less than
// paths that share single arcs (turn_loads.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "routing/reweight/arc_costs.h"
#include "routing/reweight/arcs.h"
#include "routing/reweight/senders.h"
#include "routing/reweight/turn_loads.h"
#include "routing/shapes/hop_dag.h"

namespace weft::reweight {

inline constexpr std::uint8_t kNoStep = 0xFF;

/// A tree of next hops toward one switch. By switch: the index of its arc among the arcs that leave
/// the switch; kNoStep at the destination, and at a switch without a path.
using Tree = std::span<std::uint8_t>;

inline std::uint32_t arc_of(const Arcs& arcs, std::span<const std::uint8_t> tree,
                            std::uint32_t sw) {
  return arcs.first.data()[sw] + tree.data()[sw];
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

  /// Changes the next hops of the tree, switches near the destination first. Only switches with a
  /// crowded arc on their path change. A switch changes to the permitted candidate of least cost if
  /// this cost is less than the current cost by the part 1 / least_gain; 0: by any amount. `costs`
  /// includes the flows of the tree and is updated. Returns false if no next hop changed. `begin()`
  /// is called before the first of the following calls. `may_move(switch, arc)` is called before a
  /// move and can forbid it; `moved(switch)` is called after the move.
  template <class Begin, class MayMove, class Moved>
  bool improve(const HopDag& dag, std::uint64_t weight, unsigned least_gain, Tree tree,
               ArcCosts& costs, const Begin& begin, const MayMove& may_move, const Moved& moved);

  /// The senders in the tree that improve() changes; valid during the calls of its arguments.
  const Senders& senders() const { return senders_; }

 private:
  /// Adds `flows` to the load of each arc of the path from `sw`, or subtracts them if `subtract`.
  void add(std::uint32_t destination, std::span<const std::uint8_t> tree, std::uint32_t sw,
           std::uint64_t flows, ArcCosts& costs, bool subtract);
  std::uint64_t cost(std::uint32_t destination, std::span<const std::uint8_t> tree,
                     std::uint32_t sw, std::uint32_t arc, std::uint64_t flows,
                     const ArcCosts& costs) const;
  std::uint64_t together(std::span<const std::uint8_t> tree, std::uint32_t sw, std::uint32_t arc,
                         std::uint64_t flows) const;
  std::uint64_t rest(std::uint32_t destination, std::span<const std::uint8_t> tree,
                     std::uint32_t arc, const ArcCosts& costs) const;
  /// Whether the path that begins with the arc has a crowded arc.
  std::uint8_t is_crowded(std::uint32_t destination, std::uint32_t arc,
                          const ArcCosts& costs) const {
    const std::uint32_t to = arcs_.head.data()[arc];
    return costs.is_crowded(arc) || (to != destination && crowded_.data()[to] != 0) ? 1 : 0;
  }
  bool may_gain(std::uint32_t destination, std::span<const std::uint8_t> tree, std::uint32_t sw,
                std::span<const std::uint32_t> candidates, unsigned least_gain,
                const ArcCosts& costs) const;
  void renew(std::uint32_t destination, std::span<const std::uint8_t> tree, std::uint32_t arc,
             ArcCosts& costs);
  template <class MayMove>
  std::uint32_t best_of(std::uint32_t destination, std::span<const std::uint8_t> tree,
                        std::uint32_t sw, std::span<const std::uint32_t> candidates,
                        unsigned least_gain, const ArcCosts& costs, const MayMove& may_move);

  const Arcs& arcs_;
  const TurnLoads& turns_;
  std::vector<std::uint64_t> flows_;   // by switch
  std::vector<std::uint64_t> rest_;    // by switch: cost of its path after the first arc
  std::vector<std::uint8_t> crowded_;  // by switch: is_crowded() of its path
  std::vector<std::uint32_t> path_;    // scratch
  std::vector<std::pair<std::uint64_t, std::uint32_t>> cheaper_;  // scratch: costs and arcs
  Senders senders_;
};

inline void TreeMoves::add(std::uint32_t destination, std::span<const std::uint8_t> tree,
                           std::uint32_t sw, std::uint64_t flows, ArcCosts& costs, bool subtract) {
  const std::uint64_t change = subtract ? ~flows + 1 : flows;  // modulo 2^64
  for (std::uint32_t at = sw; at != destination;) {
    const std::uint32_t arc = arc_of(arcs_, tree, at);
    costs.add(arc, change * arcs_.time[arc]);
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
  senders_.each(sw, [&](std::uint32_t s) {
    sum += Wide{turns_.of(arc_of(arcs_, tree, s), arc)} * flows_[s];
    return true;
  });
  return sum == 0 ? 0 : static_cast<std::uint64_t>(sum / flows);
}

/// Cost of the path that begins at the switch with this arc: up to a constant factor, the growth of
/// the potential when these flows are added to each arc.
inline std::uint64_t TreeMoves::cost(std::uint32_t destination, std::span<const std::uint8_t> tree,
                                     std::uint32_t sw, std::uint32_t arc, std::uint64_t flows,
                                     const ArcCosts& costs) const {
  std::uint64_t sum = 0;
  for (std::uint64_t met = together(tree, sw, arc, flows);;) {
    sum += costs.with(arc, met, flows);
    const std::uint32_t to = arcs_.head[arc];
    if (to == destination) return sum;
    const std::uint32_t next = arc_of(arcs_, tree, to);
    met = turns_.of(arc, next);
    arc = next;
  }
}

/// Cost, at the current loads, of the path that begins with the arc, without this arc.
inline std::uint64_t TreeMoves::rest(std::uint32_t destination, std::span<const std::uint8_t> tree,
                                     std::uint32_t arc, const ArcCosts& costs) const {
  const std::uint32_t to = arcs_.head.data()[arc];
  if (to == destination) return 0;
  const std::uint32_t next = arc_of(arcs_, tree, to);
  return costs.of(next, turns_.of(arc, next)) + rest_.data()[to];
}

/// Whether a candidate has a lower cost than the current arc of the switch at the current loads, by
/// half of the part that least_gain requires. If not, a move rarely gains anything: best_of() adds
/// the flows of the switch to each path in turn, so that the current path costs less than here, and
/// each candidate costs more. Takes a few steps for each candidate, whereas cost() follows each
/// path. Earlier arcs, which cost() considers, are ignored.
inline bool TreeMoves::may_gain(std::uint32_t destination, std::span<const std::uint8_t> tree,
                                std::uint32_t sw, std::span<const std::uint32_t> candidates,
                                unsigned least_gain, const ArcCosts& costs) const {
  const std::uint32_t own = arc_of(arcs_, tree, sw);
  std::uint64_t least = costs.of(own, 0) + rest_[sw];
  if (least_gain > 0) least -= least / least_gain / 2;
  return std::ranges::any_of(candidates, [&](std::uint32_t arc) {
    return arc != own && costs.of(arc, 0) + rest(destination, tree, arc, costs) < least;
  });
}

/// Updates the costs of the path that begins with the arc after its loads have changed.
inline void TreeMoves::renew(std::uint32_t destination, std::span<const std::uint8_t> tree,
                             std::uint32_t arc, ArcCosts& costs) {
  path_.clear();
  costs.renew(arc);
  for (std::uint32_t at = arcs_.head[arc]; at != destination; at = arcs_.head[arc]) {
    path_.push_back(at);
    arc = arc_of(arcs_, tree, at);
    costs.renew(arc);
  }
  for (std::size_t i = path_.size(); i-- > 0;) {
    const std::uint32_t next = arc_of(arcs_, tree, path_[i]);
    rest_[path_[i]] = rest(destination, tree, next, costs);
    crowded_[path_[i]] = is_crowded(destination, next, costs);
  }
}

/// The permitted arc of least cost; the current arc if none gains enough. Loads are without the
/// flows of the switch.
template <class MayMove>
std::uint32_t TreeMoves::best_of(std::uint32_t destination, std::span<const std::uint8_t> tree,
                                 std::uint32_t sw, std::span<const std::uint32_t> candidates,
                                 unsigned least_gain, const ArcCosts& costs,
                                 const MayMove& may_move) {
  const std::uint64_t flows = flows_[sw];
  const std::uint32_t own = arc_of(arcs_, tree, sw);
  std::uint64_t most = cost(destination, tree, sw, own, flows, costs);
  if (least_gain > 0) most -= most / least_gain;
  cheaper_.clear();
  for (const std::uint32_t arc : candidates)
    if (arc != own)
      if (const std::uint64_t one = cost(destination, tree, sw, arc, flows, costs); one < most)
        cheaper_.emplace_back(one, arc);
  std::ranges::sort(cheaper_);
  for (const auto& [one, arc] : cheaper_)
    if (may_move(sw, arc)) return arc;
  return own;
}

template <class Begin, class MayMove, class Moved>
bool TreeMoves::improve(const HopDag& dag, std::uint64_t weight, unsigned least_gain, Tree tree,
                        ArcCosts& costs, const Begin& begin, const MayMove& may_move,
                        const Moved& moved) {
  const std::uint32_t to = dag.destination().value();
  bool has_begun = false;
  bool changed = false;
  rest_.resize(arcs_.switches());
  crowded_.resize(arcs_.switches());
  for (const HopDag::Group& group : dag.groups())
    for (const HopDag::Member& member :
         dag.members().subspan(group.begin, group.end - group.begin)) {
      const std::uint32_t sw = member.sw;
      const std::uint32_t own = arc_of(arcs_, tree, sw);
      rest_[sw] = rest(to, tree, own, costs);
      crowded_[sw] = is_crowded(to, own, costs);
      if (group.next_hops < 2 || crowded_[sw] == 0) continue;
      const auto candidates = dag.channels(group, member);
      if (!may_gain(to, tree, sw, candidates, least_gain, costs)) continue;
      if (!has_begun) {
        each_flow(arcs_, dag, tree, weight, flows_, [](std::uint32_t, std::uint64_t) {});
        senders_.read(arcs_.switches(), dag,
                      [&](std::uint32_t s) { return arcs_.head[arc_of(arcs_, tree, s)]; });
        begin();
        has_begun = true;
      }
      const std::uint64_t flows = flows_[sw];
      if (flows == 0) continue;
      add(to, tree, sw, flows, costs, true);
      const std::uint32_t best = best_of(to, tree, sw, candidates, least_gain, costs, may_move);
      if (best != own) tree[sw] = static_cast<std::uint8_t>(best - arcs_.first[sw]);
      add(to, tree, sw, flows, costs, false);
      if (best == own) continue;
      senders_.move(sw, arcs_.head[own], arcs_.head[best]);
      moved(sw);
      changed = true;
      renew(to, tree, own, costs);
      renew(to, tree, best, costs);
      rest_[sw] = rest(to, tree, best, costs);
      crowded_[sw] = is_crowded(to, best, costs);
    }
  return changed;
}

}  // namespace weft::reweight
