// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The virtual lanes of a fabric if replies use the SL of the request: an order of all arcs for each
// lane, and the lane of each pair of switches. Every lane allows the turns of one escape tree, so
// each pair has a path on any lane.
//
// Each order is first computed for the pairs that are assigned to its lane. Some pairs then have no
// lane with shortest paths in both directions. For a few rounds, the orders of all lanes are
// improved for these pairs.
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

/// False if tables by pair of switches would need too much memory.
bool fits_pairs(const Arcs& arcs);

/// By pair of switches, a row for each destination: the sum of the groups of the two switches
/// modulo `lanes`. The lane is equal in both directions, and all lanes have about equally many
/// pairs.
std::vector<std::uint8_t> lanes_of_groups(std::span<const std::uint32_t> group, unsigned lanes);

/// Computes the plan. `preferred` is as for assign_pair_lanes(). The result is equal for any number
/// of threads.
LanePlan plan_lanes(const Arcs& arcs, std::span<const std::uint32_t> weight, const Escape& escape,
                    std::vector<std::uint8_t> preferred, unsigned lanes, unsigned threads,
                    const Rng& rng);

}  // namespace weft::nue
