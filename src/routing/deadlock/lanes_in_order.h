// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lanes for paths that agree with orders of the switches (ordered_paths.h), and for the few paths
// that agree with no order; and a compact set of turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/deadlock/acyclic_turns.h"
#include "routing/deadlock/ordered_paths.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/deadlock/turns.h"
#include "routing/shapes/trunks.h"

namespace weft::ordered {

/// A compact set of turns between trunks. Nearly all turns of a path are also turns of earlier
/// paths; the set detects these with few memory accesses.
class TrunkTurns {
 public:
  explicit TrunkTurns(const Trunks& trunks) : row_(trunks.count() + std::size_t{1}, 0) {
    for (std::uint32_t t = 0; t < trunks.count(); ++t)
      row_[t + 1] =
          row_[t] + (trunks.begin[trunks.head[t] + 1] - trunks.begin[trunks.head[t]] + 63) / 64;
    words_.resize(row_.back());
  }
  /// Adds the turn from a trunk to output number `output` of the switch at its end. Returns false
  /// if the turn was present.
  bool add(std::uint32_t trunk, std::uint32_t output) {
    std::uint64_t& word = words_[row_[trunk] + output / 64];
    const std::uint64_t bit = std::uint64_t{1} << (output % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    return true;
  }

 private:
  std::vector<std::uint32_t> row_;  // by trunk: index of its first word; then the number of words
  std::vector<std::uint64_t> words_;
};

/// Adds the paths that agree with an order to the lane of the order, and assigns lanes to the paths
/// with lane kUnfitted. A trunk is represented by its first channel. The fabric and all other
/// arguments must outlive this object.
class LanesInOrder {
 public:
  LanesInOrder(const Fabric& fabric, const Turns& turns, const Trunks& trunks,
               const SwitchOrders& orders, unsigned count);

  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }

  /// Adds the lane of the next order.
  void add_lane();

  /// Adds the paths that agree with an order to the lane of the order.
  void add_in_order(const Paths& paths);

  /// Assigns lanes to the paths with lane kUnfitted. Returns false if a path fits on no lane.
  bool assign_others(Paths& paths);

  /// Like assign_others(), with all paths between two switches on one lane. `lids`: by switch.
  bool assign_other_pairs(std::span<const std::vector<Lid>> lids, Paths& paths);

 private:
  std::uint32_t lead(std::uint32_t trunk) const { return trunks_.channels_of(trunk).front(); }

  /// Adds the turns of a path until the remainder is a path of the same lane, which adds its turns
  /// itself.
  void add_in_order(const Paths& paths, std::size_t s, std::size_t lid,
                    std::span<TrunkTurns> added);

  void trace(const Paths& paths, std::size_t s, std::size_t lid);

  bool assign_pair_any_lane(std::span<const std::vector<Lid>> lids, std::size_t a, std::size_t b,
                            Paths& paths);

  bool assign_any_lane(Paths& paths, std::size_t s, std::size_t lid);

  const Fabric& fabric_;
  const Turns& turns_;
  const Trunks& trunks_;
  const SwitchOrders& orders_;
  std::vector<AcyclicTurns> lanes_;
  std::vector<std::uint32_t> channels_;
};

}  // namespace weft::ordered
