// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Passes over all trees of a forest. Several trees are computed at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "routing/reweight/arc_costs.h"
#include "routing/reweight/forest.h"
#include "routing/reweight/pair_lanes.h"
#include "routing/reweight/turn_loads.h"

namespace weft::reweight {

class TreePasses {
 public:
  /// `load`: by arc. Keeps references to the forest and its candidates.
  TreePasses(Forest& forest, const CandidateStore& candidates, std::vector<std::uint64_t> load,
             unsigned threads);
  ~TreePasses();

  /// Changes the trees of all groups, block by block. With lanes, each group has one tree, and
  /// every pair of switches keeps a lane on which its paths of both directions ascend. Returns
  /// false if no next hop changed.
  bool run(unsigned least_gain, PairLanes* lanes = nullptr);

  ArcCosts& costs() { return costs_; }
  TurnLoads& turn_loads() { return turn_loads_; }

 private:
  struct Change;
  struct Scratch;

  void reroute(unsigned least_gain, const PairLanes* lanes, Scratch& scratch) const;
  bool keeps_neighbors(const Forest::Group& group, std::span<std::uint8_t> steps, std::uint32_t t,
                       std::uint32_t sw, std::uint32_t arc) const;
  void count_turns(const Forest::Group& group, bool subtract, HopDag& scratch);
  bool merge(PairLanes* lanes, Scratch& scratch);

  Forest& forest_;
  const CandidateStore& store_;
  ArcCosts costs_;
  const unsigned threads_;
  TurnLoads turn_loads_;
  std::size_t block_ = 1;
  std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace weft::reweight
