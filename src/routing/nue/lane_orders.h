// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The orders of several lanes, in the form needed for assigning paths to lanes: a path can be on a
// lane if its arcs ascend in the order of that lane.
//
// At each switch only the pairs of an input arc and an output arc matter. So each lane numbers the
// arcs into a switch from 1, earliest first. For each output arc a limit separates the input arcs:
// a path may continue over the output arc from an input arc with a number below the limit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/order.h"

namespace weft::nue {

using Limit = std::uint16_t;
inline constexpr Limit kClosed = 0;       // no path of the lane may continue
inline constexpr Limit kArrived = 65535;  // every path may continue

struct LaneOrders {
  LaneOrders() = default;
  LaneOrders(const Arcs& arcs, std::span<const Ranking> rankings);

  unsigned lanes = 0;
  std::size_t stride = 1;     // lanes rounded up to a power of two; added lanes are closed
  std::vector<Limit> number;  // by arc and lane: number of the arc at its head
  std::vector<Limit> limit;   // by arc and lane: limit of the arcs into its tail

  const Limit* number_of(std::uint32_t arc) const { return number.data() + arc * stride; }
  const Limit* limit_of(std::uint32_t arc) const { return limit.data() + arc * stride; }

  /// `result`, by lane: the limit of the arcs into the tail from which a path may continue over
  /// `arc`; kClosed on the lanes on which `ahead`, a limit at the head, excludes `arc`.
  void bound(std::uint32_t arc, const Limit* ahead, Limit* result) const {
    const Limit* const ranks = number_of(arc);
    const Limit* const limits = limit_of(arc);
    for (std::size_t l = 0; l < stride; ++l) result[l] = ranks[l] < ahead[l] ? limits[l] : kClosed;
  }
};

}  // namespace weft::nue
