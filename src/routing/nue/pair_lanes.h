// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The virtual lane of the packets between two switches: one lane for both directions, since replies
// use the service level of the request.
//
// Pairs are settled (given a lane and next hops) by distance, nearest first. The next hop of a
// switch is a neighbor nearer to the destination. The path can be on a lane if the path of that
// neighbor can continue on this lane. Of the lanes with a shortest path in both directions, a pair
// gets a lane that allows nearly the most paths of farther switches over this path; of these lanes
// the least loaded lane is used. So paths to one destination share next hops even if they are on
// different lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/demand.h"
#include "routing/nue/lane_orders.h"

namespace weft::nue {

/// Tables by pair have a row for each destination, with a value for each source.
struct PairLanes {
  std::uint32_t switches = 0;
  std::size_t stride = 0;          // LaneOrders::stride
  std::vector<std::uint8_t> lane;  // by pair; equal in both directions
  std::vector<Limit> limits;  // by pair and lane: limit of the arcs into the source, if settled
  /// By pair, as Demand::lane_of: the lane; kAnyLane if no lane has a shortest path in both
  /// directions.
  std::vector<std::uint8_t> demand;
  std::uint64_t open = 0;  // ordered pairs of endports without such a lane

  std::size_t at(std::uint32_t destination, std::uint32_t source) const {
    return std::size_t{destination} * switches + source;
  }
  const Limit* limit(std::uint32_t destination, std::uint32_t source) const {
    return limits.data() + at(destination, source) * stride;
  }
};

/// Assigns a lane to each pair. `preferred`, by pair: the lane to prefer among equally good lanes,
/// or kAnyLane. `enough`: maximum number of lanes that count for an arc from a farther switch; a
/// lower number gives a more even load. The result is equal for any number of threads.
PairLanes assign_pair_lanes(const Arcs& arcs, const LaneOrders& orders,
                            std::span<const std::uint8_t> preferred,
                            std::span<const std::uint32_t> weight, unsigned enough,
                            unsigned threads);

}  // namespace weft::nue
