// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The turns of the paths on each lane, and orders of the arcs in which these turns ascend.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/reweight/arcs.h"
#include "routing/reweight/pair_lanes.h"
#include "routing/shapes/hop_dag.h"

namespace weft::reweight {

class LaneTurns {
 public:
  /// Keeps references to both arguments.
  LaneTurns(const Arcs& arcs, const ArcTurns& turns)
      : arcs_(arcs), turns_(turns), lanes_(turns.count(), 0) {}

  /// Adds the turns of the paths of a tree. `lane`: by switch, the bit of the lane of its path; 0:
  /// the path has no packets. `tree` must have a step at each member of the DAG.
  void add(const HopDag& dag, std::span<const std::uint8_t> tree,
           std::span<const PairLanes::Mask> lane);

  /// By arc: its place in an order in which all turns of the lane ascend; empty if the turns have a
  /// cycle. The seed selects one of the possible orders.
  std::vector<std::uint32_t> places(unsigned lane, std::uint32_t seed) const;

 private:
  const Arcs& arcs_;
  const ArcTurns& turns_;
  std::vector<PairLanes::Mask> lanes_;    // by turn
  std::vector<PairLanes::Mask> through_;  // scratch, by switch: lanes of the paths over it
};

}  // namespace weft::reweight
