// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sums of simulation runs. Each value is an integer or belongs to a single run. Runs may
// therefore be split over threads and processes in any way: the merged result has the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "congestion/routed_network.h"

namespace weft {

/// Weights are in ticks: Tally::ticks of them are weight 1, the time of the largest message of the
/// pattern without congestion.
using Ticks = std::uint64_t;

struct WeightBin {
  std::uint64_t connections = 0;
  std::uint64_t volume = 0;  // sum of ticks without congestion
  bool operator==(const WeightBin&) const = default;
};

/// A connection without a route: it is dropped, the rest of the run continues.
struct RouteFailure {
  std::uint64_t run = 0;
  std::uint64_t level = 0;
  std::uint32_t from = 0;  // hosts
  std::uint32_t to = 0;
  std::uint32_t path = 0;
  std::uint32_t at = 0;  // the node where the route ended
  NetWalkEnd end = NetWalkEnd::kUnrouted;
  bool operator==(const RouteFailure&) const = default;
};

struct RunResult {
  std::uint64_t run = 0;
  std::uint64_t connections = 0;  // with a route
  Ticks congestion_sum = 0;       // sum over levels of the largest weight
  Ticks delay = 0;                // the longest path through the levels, if requested
  double bandwidth = 0;           // mean over connections of uncongested time / weight; 0..1
  double fair_bandwidth = 0;      // mean max-min fair rate; 0..1; if requested
  double fair_least = 0;          // smallest max-min fair rate
  bool operator==(const RunResult&) const = default;
};

struct Tally {
  static constexpr std::size_t kFailuresMax = 16;

  Ticks ticks = 1;
  std::uint64_t connections = 0;
  std::uint64_t dropped = 0;
  std::map<Ticks, WeightBin> weights;
  std::vector<RunResult> results;          // sorted by run
  std::vector<std::uint64_t> channel_sum;  // ticks by channel, over levels and runs; if requested
  std::vector<RouteFailure> failures;      // the first failures, by run and level

  std::uint64_t runs() const { return results.size(); }
  bool operator==(const Tally&) const = default;

  std::vector<std::byte> to_bytes() const;
  static Result<Tally> from_bytes(std::span<const std::byte> bytes);
};

/// Adds other runs of the same study; the order of merging does not matter.
void merge(Tally& into, const Tally& other);

}  // namespace weft
