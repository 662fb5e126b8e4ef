// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The paths to all LIDs of hosts with LMC above 0: the load of links by all these paths, and the
// number of paths of a pair without a common channel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Figures over ordered pairs of hosts on different switches. A pair has a path for each LID of the
/// receiver to which the tables deliver packets of the sender.
struct LidPathQuality {
  unsigned lids = 1;         // largest number of LIDs of a host
  double link_load_max = 0;  // pairs on one channel between switches, each path of n counting 1/n
  /// As link_load_max, with pairs that count fastest rate / rate of the channel.
  double timed_load_max = 0;
  /// The most paths of a pair without a common channel, mean over the pairs. If a pair has more
  /// than kExactPathsMost different paths, its paths are selected in the order of LIDs, which may
  /// be fewer.
  double disjoint_mean = 0;
  std::uint32_t disjoint_min = 0;
  /// Shares of the pairs that keep a path after the failure of any one, two or three channels.
  std::array<double, 3> kept{};
};

/// Number of different paths of a pair up to which the largest set of disjoint paths is computed.
inline constexpr std::size_t kExactPathsMost = 16;
/// Limit of the number of paths for assess_lid_paths().
inline constexpr std::uint64_t kLidPathsMost = 100'000'000;

/// Empty if no host has several LIDs, if no two hosts are on different switches, or if there are
/// more than kLidPathsMost paths from a switch to a LID. The result does not depend on the number
/// of threads.
std::optional<LidPathQuality> assess_lid_paths(const Fabric& fabric, const Lfts& lfts,
                                               std::span<const EndportId> hosts, unsigned threads);

}  // namespace weft
