// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hop counts from all switches over all arcs to several destinations at once. Bit i of a word
// represents destination i, so that one step between two switches covers all destinations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"

namespace weft::nue {

/// Hop counts to one destination.
struct Distances {
  std::span<const std::uint32_t> hops;           // by switch; kUnreachable without a path
  std::span<const std::uint32_t> nearest_first;  // connected switches, by hops

  /// The number of arcs on shortest paths.
  std::size_t shortest_arcs(const Arcs& arcs) const;
};

class DistanceSearch {
 public:
  static constexpr std::size_t kAtOnce = 64;

  /// `arcs` must outlive this object.
  explicit DistanceSearch(const Arcs& arcs);

  /// `destinations`: at least one and at most kAtOnce.
  void run(std::span<const std::uint32_t> destinations);
  /// The hop counts to the i-th destination; valid until the next run().
  Distances of(std::size_t i) const;

 private:
  bool record(std::uint32_t hops);
  void step(std::uint64_t all);

  const Arcs& arcs_;
  // By switch, a bit for each destination reached: within the current number of hops, with exactly
  // this number, and with one hop more.
  std::vector<std::uint64_t> seen_;
  std::vector<std::uint64_t> last_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint32_t> hops_;                  // by destination and switch
  std::vector<std::uint32_t> near_;                  // by destination: switches by ascending hops
  std::array<std::uint32_t, kAtOnce> near_count_{};  // by destination
};

}  // namespace weft::nue
