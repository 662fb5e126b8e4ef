// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The trees that reweighting changes, and the measure by which it compares their loads.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/reweight/arc_costs.h"
#include "routing/reweight/arcs.h"
#include "routing/reweight/tree_moves.h"
#include "routing/shapes/hop_dag.h"
#include "routing/shapes/trunks.h"

namespace weft::reweight {

/// A value for Forest::least_gains: moves must reduce the cost by more than half. Previous tables
/// and closed forms allow no other moves. Other tables have such moves in the first passes, which
/// leads to better final loads.
inline constexpr unsigned kFewMoves = 2;

struct Forest {
  /// Trees toward one switch: they have the same candidates.
  struct Group {
    SwitchId destination;
    std::uint32_t begin = 0;  // index of the first tree
    std::uint32_t end = 0;
  };

  Arcs arcs;
  std::vector<Group> groups;
  std::vector<std::uint32_t> weights;  // by tree: flows from each host
  std::vector<std::uint8_t> steps;     // by tree, then by switch
  std::vector<bool> fixed;  // by tree: the tree has load, but does not change; empty: no such tree
  /// By tree: the first tree to a LID of the same port; the trees of a port are consecutive. Moves
  /// do not reduce the number of neighbors over which the trees of a port leave a switch. Empty:
  /// each tree has a port of its own.
  std::vector<std::uint32_t> first_of_port;

  /// Values of least_gain, applied one after the other until passes gain no more: a move must
  /// reduce the cost by the part 1 / least_gain; 0: by any amount. Not empty.
  std::vector<unsigned> least_gains{0};
  unsigned doublings = kSteepDoublings;  // of the costs

  bool may_change(std::size_t index) const { return fixed.empty() || !fixed[index]; }
  std::uint32_t first_sibling(std::uint32_t index) const {
    return first_of_port.empty() ? index : first_of_port[index];
  }
  Tree tree(std::size_t index) { return part_of(steps, index); }
  /// The tree of this index in `trees`, the steps of several trees.
  Tree part_of(std::span<std::uint8_t> trees, std::size_t index) const {
    return trees.subspan(index * arcs.switches(), arcs.switches());
  }
  std::span<const std::uint8_t> trees(const Group& group) const {
    return std::span(steps).subspan(std::size_t{group.begin} * arcs.switches(),
                                    std::size_t{group.end - group.begin} * arcs.switches());
  }
  std::span<const std::uint8_t> tree(std::size_t index) const {
    return std::span(steps).subspan(index * arcs.switches(), arcs.switches());
  }
};

/// Fills `dag` with the candidates toward a switch; its channels are arcs. Several threads call the
/// function at once.
using Candidates = std::function<void(SwitchId destination, HopDag& dag)>;

/// All shortest paths, with trunks as arcs. The result keeps a reference to `trunks`.
Candidates shortest_over(const Trunks& trunks);

/// The candidates toward all groups: stored if they need little memory, else computed for each use.
class CandidateStore {
 public:
  CandidateStore(const Forest& forest, Candidates make, unsigned threads);
  /// `scratch` is used if the candidates are not stored.
  const HopDag& of(std::size_t group, HopDag& scratch) const;

 private:
  const Forest& forest_;
  Candidates make_;
  std::vector<HopDag> kept_;  // by group; empty if they are not stored
};

/// Loads by arc. Trees with next hops that are no candidates, as around missing links, become
/// fixed. Returns nullopt if `all_follow` and there is such a tree, or if some candidate path has
/// more than Potential::kHopsMost hops.
std::optional<std::vector<std::uint64_t>> loads(Forest& forest, const CandidateStore& store,
                                                bool all_follow, unsigned threads);

/// Measure of loads: the largest load, then the sum of squares.
struct Measure {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t largest = 0;
  Wide squares = 0;
  auto operator<=>(const Measure&) const = default;
};
Measure measure(std::span<const std::uint64_t> load);
/// Whether the largest load is less than one flow above the mean. If all arcs take the same time
/// for a flow, then no shortest paths have a smaller largest load.
bool is_even(std::span<const std::uint64_t> load);
/// Whether the largest load is at most 1.09 times the mean, or is_even(). Further passes would take
/// more time than their small gain justifies.
bool is_nearly_even(std::span<const std::uint64_t> load);

}  // namespace weft::reweight
