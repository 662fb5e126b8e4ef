// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The lanes of a fabric when replies count: an order of all arcs for each lane, and the lane of
// each pair of switches. Every lane allows the turns of one escape tree, so each pair has a path on
// any lane.
//
// Each order is made for the pairs intended for its lane. Pairs without shortest paths in both
// directions on any lane then become a demand of all lanes, and the orders are improved for it, for
// a few rounds.
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

/// False where tables by pair of switches would take too much memory.
bool fits_pairs(const Arcs& arcs);

/// By pair of switches, a row for each destination: the sum of the groups of the two switches
/// modulo `lanes`; equal in both directions, and each lane about equally often.
std::vector<std::uint8_t> lanes_of_groups(std::span<const std::uint32_t> group, unsigned lanes);

/// Equal for any number of threads.
LanePlan plan_lanes(const Arcs& arcs, std::span<const std::uint32_t> weight, const Escape& escape,
                    std::vector<std::uint8_t> preferred, unsigned lanes, unsigned threads,
                    const Rng& rng);

}  // namespace weft::nue
