// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lanes for given tables. Each lane has an order of the switches (switch_orders.h), and each path
// uses the first lane with an order that agrees with the path. Paths that agree with no order are
// rerouted if another shortest path agrees with an order; the few remaining paths use any lane on
// which they close no cycle. Used by dfsssp and lash if most paths have no up hop after a down hop,
// as on trees with missing cables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routes/lfts.h"
#include "routing/deadlock/turns.h"

namespace weft {

struct OrderedLanes {
  unsigned count = 0;
  Lfts lfts;
  /// By source switch and LID, rows from LID 0 to the top; from order_pair_lanes() by pair of
  /// switches, row by row and symmetric.
  std::vector<std::uint8_t> lanes;
};

/// Whether the fabric has switches without hosts, such as the spines of a tree.
bool has_levels(const Fabric& fabric);

/// The limits at which dfsssp and lash keep given tables.
struct OrderLimits {
  unsigned lanes_max;
  double unfitted_max;  // share of pairs that agree with no order
};
/// `levels`: the result of has_levels(); `by_pair`: true for order_pair_lanes().
OrderLimits order_limits(bool levels, bool by_pair);

/// Assigns 2 lanes or more; nullopt if more than `lanes_max` lanes are necessary. Numbers of lanes
/// with which the share of pairs that agree with no order exceeds `unfitted_max` are skipped.
/// Packets between port 0 of two switches are ignored.
std::optional<OrderedLanes> order_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        unsigned lanes_max, double unfitted_max, unsigned threads);

/// Like order_lanes(), with one lane for all paths between two switches, in both directions. Also
/// nullopt if more than a third of the pairs were rerouted without success and more lanes would
/// require other paths.
std::optional<OrderedLanes> order_pair_lanes(const Fabric& fabric, const Turns& turns,
                                             const Lfts& lfts, unsigned lanes_max,
                                             double unfitted_max, unsigned threads);

}  // namespace weft
