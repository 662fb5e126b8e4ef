// The orders of several lanes side by side, as code that lays paths on lanes reads them: a path may
// lie on a lane where its arcs ascend in that lane's order.
//
// What matters at a switch is only which of the arcs into it may be followed by one out of it. So
// each lane numbers the arcs into a switch from 1, earliest first, and a limit tells them apart:
// an arc may go on where its rank is below the limit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/order.h"

namespace weft::nue {

using Limit = std::uint16_t;
inline constexpr Limit kClosed = 0;       // no path of the lane goes on here
inline constexpr Limit kArrived = 65535;  // every one does

struct LaneOrders {
  LaneOrders() = default;
  LaneOrders(const Arcs& arcs, std::span<const Ranking> rankings);

  unsigned lanes = 0;
  std::size_t stride = 1;    // lanes, up to a power of two: the others are closed
  std::vector<Limit> rank;   // by arc and lane, of the arcs into its head
  std::vector<Limit> limit;  // by arc and lane, of the arcs into its tail: those before it

  const Limit* rank_of(std::uint32_t arc) const { return rank.data() + arc * stride; }
  const Limit* limit_of(std::uint32_t arc) const { return limit.data() + arc * stride; }

  /// What arcs into the tail may be followed by the arc, if from its head paths go on within
  /// `ahead`.
  void bound(std::uint32_t arc, const Limit* ahead, Limit* result) const {
    const Limit* const ranks = rank_of(arc);
    const Limit* const limits = limit_of(arc);
    for (std::size_t l = 0; l < stride; ++l) result[l] = ranks[l] < ahead[l] ? limits[l] : kClosed;
  }
};

}  // namespace weft::nue
