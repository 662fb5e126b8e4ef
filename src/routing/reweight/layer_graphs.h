// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The layers of the paths between two switches, each layer with the dependencies of its paths,
// while reweighting moves these paths.
//
// Dependencies are exact, whereas PairLanes has one fixed order for each layer: a moved path that
// descends in the order of its layer changes the order unless it closes a cycle. So more moves are
// possible, but each takes longer, and only one tree can change at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/pair_layers.h"
#include "routing/reweight/forest.h"
#include "routing/shapes/trunks.h"

namespace weft::reweight {

/// The layers of trees over trunks, one tree for each group. Keeps references to all arguments.
class LayerGraphs {
 public:
  /// Moves update `layers.of_pair`.
  LayerGraphs(const Turns& turns, const Trunks& trunks, Forest& forest, PairLayers& layers);

  /// Fills the layers with the paths of all pairs that exchange packets. Returns false if the
  /// layers have cycles; then move() must not be called. `places`: by layer, then by trunk, the
  /// place of the trunk in an order that is searched first; the result does not depend on it.
  /// Empty: by number.
  bool fill(std::span<const std::vector<std::uint32_t>> places = {});

  /// Selects the tree of this group for the next moves.
  void begin(std::size_t group, const HopDag& dag);
  /// Changes the next hop of the switch to this arc, and so all paths over the switch. Pairs with a
  /// cycle in their layer are assigned to another layer. Returns false, without a change, if a pair
  /// would close a cycle in every layer.
  bool move(std::uint32_t sw, std::uint32_t arc);
  /// Call this after a move() of the switch that returned true.
  void moved(std::uint32_t sw);

 private:
  struct Source {
    std::uint32_t sw;
    std::uint8_t layer;  // before the move
  };

  std::vector<std::uint32_t> by_channel(std::span<const std::uint32_t> places) const;
  std::uint8_t& layer_of(std::uint32_t a, std::uint32_t b);
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
  std::vector<AcyclicTurns> graphs_;
  std::vector<std::uint32_t> group_of_;  // by switch; kNoGroup without a tree
  // Data of the current tree.
  std::uint32_t destination_ = 0;
  std::size_t group_ = 0;
  std::vector<std::vector<std::uint32_t>> behind_;  // by switch: the switches with this next hop
  std::vector<std::uint32_t> next_;                 // by switch: the head of its arc
  // Data of the current move.
  std::vector<Source> sources_;
  std::vector<std::uint32_t> there_;
  std::vector<std::uint32_t> back_;
};

}  // namespace weft::reweight
