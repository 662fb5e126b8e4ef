// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The lanes of the paths between two switches, each lane with the dependencies of its paths, while
// reweighting moves them.
//
// Exact, where PairLanes has one order for each lane: a moved path that descends in the order of
// its lane changes the order unless it closes a cycle. So more moves are possible, and each takes
// longer: only one tree can change at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/pair_layers.h"
#include "routing/reweight/forest.h"
#include "routing/shapes/trunks.h"

namespace weft::reweight {

/// Of trees over trunks, one for each group. Keeps references to all arguments.
class LaneGraphs {
 public:
  /// `layers.of_pair` follows the moves.
  LaneGraphs(const Turns& turns, const Trunks& trunks, Forest& forest, PairLayers& layers);

  /// Fills the lanes with the paths of all pairs. False where they have cycles; nothing may be
  /// moved then.
  bool fill();

  /// The next moves are of this group's tree.
  void begin(std::size_t group, const HopDag& dag);
  /// Moves the switch, with all that sends over it, to this arc, and the pairs that do not fit
  /// their lane to another. False, without a change, where some pair fits none.
  bool move(std::uint32_t sw, std::uint32_t arc);
  /// The switch stays at its arc from now on.
  void moved(std::uint32_t sw);

 private:
  struct Source {
    std::uint32_t sw;
    std::uint8_t lane;  // before the move
  };

  std::uint8_t& lane_of(std::uint32_t a, std::uint32_t b);
  void trace(std::uint32_t from, std::uint32_t to, std::vector<std::uint32_t>& channels) const;
  void collect(std::uint32_t sw);
  bool place(std::uint32_t source);
  void take_back(std::size_t placed, std::uint8_t step, std::uint32_t sw);
  bool exchange(std::uint32_t a, std::uint32_t b) const {
    return forest_.arcs.hosts[a] > 0 || forest_.arcs.hosts[b] > 0;
  }

  const Turns& turns_;
  const Trunks& trunks_;
  Forest& forest_;
  PairLayers& layers_;
  std::vector<AcyclicTurns> lanes_;
  std::vector<std::uint32_t> group_of_;  // by switch; or kNone
  // Of the current tree.
  std::uint32_t destination_ = 0;
  std::size_t group_ = 0;
  std::vector<std::vector<std::uint32_t>> behind_;  // by switch: those that send over it
  std::vector<std::uint32_t> next_;                 // by switch: the head of its arc
  // Of the current move.
  std::vector<Source> sources_;
  std::vector<std::uint32_t> there_;
  std::vector<std::uint32_t> back_;
};

}  // namespace weft::reweight
