// The lanes of a fabric when replies count: an order of all arcs for each, and which pairs of
// switches are on which. Every lane keeps the turns of one escape tree, so whatever lane a pair is
// on, there is a path for it.
//
// Each order is made for the pairs that the lane is wished to carry. Pairs that no lane serves with
// shortest paths in both directions are then asked of all lanes at once, and the orders made better
// by that, for a few rounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"
#include "routing/nue/lane_orders.h"
#include "routing/nue/pair_lanes.h"

namespace weft::nue {

struct LanePlan {
  LaneOrders orders;
  PairLanes pairs;
};

/// More than this, and tables by pair of switches take too much memory.
bool fits_pairs(const Arcs& arcs);

/// By pair of switches, a row for each destination: equal in both directions and about as often
/// each lane, the sum of the groups of the two.
std::vector<std::uint8_t> lanes_of_groups(std::span<const std::uint32_t> group, unsigned lanes);

/// Equal for any number of threads.
LanePlan plan_lanes(const Arcs& arcs, std::span<const std::uint32_t> weight, const Escape& escape,
                    std::vector<std::uint8_t> wish, unsigned lanes, unsigned threads,
                    const Rng& rng);

}  // namespace weft::nue
