// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A lower bound on the largest link load of any routes: by duality of linear programs, for any
// lengths of the channels, no routes have a largest load below
//
//   sum over pairs of hosts of the distance / sum over channels of the length,
//
// because each path is at least as long as the distance, and the loads, weighted by the lengths,
// sum to the lengths of all paths. The lengths are improved step by step: a channel that the
// shortest paths use more than others becomes longer. Source: Garg and Koenemann, "Faster and
// simpler algorithms for multicommodity flow and other fractional packing problems", SIAM J.
// Computing 37(2), 2007.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

enum class BoundPaths {
  kFewestHops,  // for routes of shortest paths only: distances are over such paths
  kAny,         // for all routes: paths may have any length
};

struct LoadBound {
  std::uint64_t paths = 0;  // lower bound for the most loaded channel between switches
  std::uint64_t pairs = 0;  // ordered pairs of hosts that the fabric connects
  double timed = 0;         // `paths` before rounding, with paths weighted as in least_load()
  /// By ChannelId: the lengths from which the bound follows, so that others can verify it.
  std::vector<std::uint32_t> lengths{};
};

/// Upper limit of the lengths.
inline constexpr std::uint32_t kLengthMost = 1u << 20;

/// The bound that follows from `lengths` (by ChannelId, from 1 to kLengthMost), rounded up, because
/// loads are whole numbers. The computation is exact, with integers.
LoadBound bound_of_lengths(const Fabric& fabric, std::span<const std::uint32_t> lengths,
                           BoundPaths paths, unsigned threads);

/// Number of steps of least_load(), each of which visits every channel for every switch with hosts.
/// 0: the fabric is too large for this bound.
unsigned bound_steps(const Fabric& fabric, BoundPaths paths);

/// The best bound within bound_steps(), which must be positive. The search starts from equal
/// lengths, from lengths that follow from `load` (by ChannelId), and from lengths for the channels
/// of one switch alone; the start affects only how tight the bound is. With `rates` (by ChannelId),
/// a path counts fastest rate / rate on each of its channels. The result does not depend on the
/// number of threads.
LoadBound least_load(const Fabric& fabric, std::span<const std::uint64_t> load, BoundPaths paths,
                     unsigned threads, std::span<const std::uint32_t> rates = {});

}  // namespace weft
