// Which lane the packets between two switches take: one for both directions, since replies travel
// on the service level of the request.
//
// Pairs are settled by distance, nearest first. The path of a switch goes over a neighbour that is
// nearer to the destination, and may lie on a lane where the neighbour's path goes on after it. Of
// the lanes that have a shortest path in both directions, a pair gets one that leaves most paths to
// the switches behind it, and of such the least loaded. So paths to one destination agree where
// they meet, though they are on different lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/demand.h"
#include "routing/nue/lane_orders.h"

namespace weft::nue {

/// Tables by pair have a row for each destination, by source in it.
struct PairLanes {
  std::uint32_t switches = 0;
  std::size_t stride = 0;          // LaneOrders::stride
  std::vector<std::uint8_t> lane;  // by pair, equal in both directions
  std::vector<Limit> limits;       // by pair and lane: of the arcs into the source; settled pairs
  /// By pair: the lane, or kAnyLane where no lane has a shortest path in both directions.
  std::vector<std::uint8_t> demand;
  std::uint64_t open = 0;  // pairs of endports between such switches

  std::size_t at(std::uint32_t destination, std::uint32_t source) const {
    return std::size_t{destination} * switches + source;
  }
  const Limit* limit(std::uint32_t destination, std::uint32_t source) const {
    return limits.data() + at(destination, source) * stride;
  }
};

/// `wish` is by pair: the lane to prefer where others are as good, or kAnyLane. `enough`: on how
/// many lanes an arc from a switch behind counts; the fewer, the evener the load. Equal for any
/// number of threads.
PairLanes settle_pairs(const Arcs& arcs, const LaneOrders& orders,
                       std::span<const std::uint8_t> wish, std::span<const std::uint32_t> weight,
                       unsigned enough, unsigned threads);

}  // namespace weft::nue
