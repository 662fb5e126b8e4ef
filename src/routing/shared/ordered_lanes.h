// Lanes for tables as they are: each lane has an order of the switches (switch_orders.h), and each
// path lies on the first lane whose order it agrees with. The few that agree with none lie on
// whatever lane they close no cycle on. What dfsssp is made of where most paths turn up no more
// after they went down, as on trees that miss cables.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routes/lfts.h"
#include "routing/shared/turns.h"

namespace weft {

struct OrderedLanes {
  unsigned count = 0;
  Lfts lfts;
  /// By source switch and LID, rows from LID 0 to the top; of order_pair_lanes by pair of switches,
  /// row by row and symmetric.
  std::vector<std::uint8_t> lanes;
};

/// 2 lanes or more; nothing where that takes more than `lanes_max`. Switches send each other
/// nothing.
std::optional<OrderedLanes> order_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        unsigned lanes_max, double unfitted_max, unsigned threads);

/// The same with one lane for all paths between two switches, there and back. Nothing either where
/// paths of more than a third of the pairs would move with few lanes, and others with more.
std::optional<OrderedLanes> order_pair_lanes(const Fabric& fabric, const Turns& turns,
                                             const Lfts& lfts, unsigned lanes_max,
                                             double unfitted_max, unsigned threads);

}  // namespace weft
