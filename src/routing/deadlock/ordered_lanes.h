// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lanes for given tables: each lane has an order of the switches (switch_orders.h), and each path
// uses the first lane with an order that it agrees with. The few paths that agree with no order use
// any lane on which they close no cycle. Used by dfsssp if most paths never go up after going down,
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

/// Are there switches at equal distance from nearly all hosts, like the spines of a tree?
bool has_levels(const Fabric& fabric);

/// The limits at which dfsssp and lash keep given tables.
struct OrderLimits {
  unsigned lanes_max;
  double unfitted_max;  // share of pairs that fit no order
};
/// `levels`: has_levels(); `by_pair`: of order_pair_lanes().
OrderLimits order_limits(bool levels, bool by_pair);

/// 2 lanes or more; empty if more than `lanes_max` are necessary. Switches do not send packets
/// to each other.
std::optional<OrderedLanes> order_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        unsigned lanes_max, double unfitted_max, unsigned threads);

/// As order_lanes(), with one lane for all paths between two switches, in both directions. Also
/// empty if more than a third of the pairs were rerouted without success, and other paths would be
/// selected with more lanes.
std::optional<OrderedLanes> order_pair_lanes(const Fabric& fabric, const Turns& turns,
                                             const Lfts& lfts, unsigned lanes_max,
                                             double unfitted_max, unsigned threads);

}  // namespace weft
