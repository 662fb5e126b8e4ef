// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The pairs of switches for which an order of arcs should allow shortest paths: all pairs; or the
// pairs assigned to one VL, and the pairs that are not assigned to a VL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::nue {

inline constexpr std::uint8_t kAnyLane = 0xFF;

struct Demand {
  std::span<const std::uint8_t> lane_of{};  // by pair, a row for each destination; empty: all pairs
  std::uint8_t lane = 0;

  bool is_all() const { return lane_of.empty(); }
  /// `switches` is the length of a row.
  bool has(std::size_t switches, std::uint32_t destination, std::uint32_t source) const {
    if (is_all()) return true;
    const std::uint8_t of = lane_of[destination * switches + source];
    return of == lane || of == kAnyLane;
  }
};

}  // namespace weft::nue
