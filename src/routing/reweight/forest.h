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
#include "routing/reweight/arcs.h"
#include "routing/reweight/tree_moves.h"
#include "routing/shapes/hop_dag.h"
#include "routing/shapes/trunks.h"

namespace weft::reweight {

/// Of Forest::least_gains: only where the cost falls by more than half, which is all that kept
/// tables and patterns bear, and elsewhere leads to a better state to go on from.
inline constexpr unsigned kFewMoves = 2;

struct Forest {
  /// Trees toward one switch: they have the same candidates.
  struct Group {
    SwitchId destination;
    std::uint32_t begin = 0;  // trees
    std::uint32_t end = 0;
  };

  Arcs arcs;
  std::vector<Group> groups;
  std::vector<std::uint32_t> weights;  // by tree: flows from each host
  std::vector<std::uint8_t> steps;     // by tree, then by switch
  std::vector<bool> fixed;             // by tree: it counts, but does not change; empty: none is
  /// By tree: the first of those to the LIDs of one port, which follow each other. They leave a
  /// switch toward no fewer neighbours than before. Empty: each tree is alone.
  std::vector<std::uint32_t> first_of_port;

  /// One after the other, each until it gains no more: moves must gain this part of the cost, 1 /
  /// least_gain; 0: anything. Not empty.
  std::vector<unsigned> least_gains{0};

  bool may_change(std::size_t index) const { return fixed.empty() || !fixed[index]; }
  std::uint32_t first_sibling(std::uint32_t index) const {
    return first_of_port.empty() ? index : first_of_port[index];
  }
  Tree tree(std::size_t index) { return part_of(steps, index); }
  /// Of the steps of some trees.
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

/// Fills the candidates toward a switch, with arcs for channels; called by several threads at once.
using Candidates = std::function<void(SwitchId destination, HopDag& dag)>;

/// All shortest paths, with arcs for trunks, to which it keeps a reference.
Candidates shortest_over(const Trunks& trunks);

/// The candidates toward all groups: kept where they need little memory, else made for each use.
class CandidateStore {
 public:
  CandidateStore(const Forest& forest, Candidates make, unsigned threads);
  /// `scratch` is used where nothing is kept.
  const HopDag& of(std::size_t group, HopDag& scratch) const;

 private:
  const Forest& forest_;
  Candidates make_;
  std::vector<HopDag> kept_;  // by group; empty: none
};

/// Loads by arc. Trees that do not follow their candidates, as around damage, become fixed; with
/// `all_follow` the result is empty then. It is empty too if some path is too long for Potential.
std::optional<std::vector<std::uint64_t>> loads(Forest& forest, const CandidateStore& store,
                                                bool all_follow, unsigned threads);

/// First by the largest load, then by the sum of squares.
struct Measure {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t largest = 0;
  Wide squares = 0;
  auto operator<=>(const Measure&) const = default;
};
Measure measure(std::span<const std::uint64_t> load);
/// Is the largest load less than a flow above the mean, so that no shortest paths have a smaller
/// one?
bool is_even(std::span<const std::uint64_t> load);

}  // namespace weft::reweight
