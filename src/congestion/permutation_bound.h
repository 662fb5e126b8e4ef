// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The worst load of each channel under a permutation: the most messages that cross the channel at
// once if every host sends to one host and receives from one. This load is the size of a maximum
// matching between the hosts that send over the channel to some host and the destinations that they
// reach over this channel; the smaller number of sources and destinations is only an upper bound.
// Hosts at one switch have the same paths, so sources are matched by switch (König; augmenting
// paths as in Kuhn, 1955).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "congestion/routed_network.h"

namespace weft {

struct ChannelBound {
  std::uint32_t channel = 0;
  std::uint32_t sources = 0;       // hosts with a path over the channel
  std::uint32_t destinations = 0;  // hosts reached over the channel
  std::uint32_t flows = 0;         // size of the largest matching
  bool operator==(const ChannelBound&) const = default;
};

/// The bound of every channel, by id, for permutations of `hosts` on the paths of their base LIDs.
/// Failed routes are ignored. The result does not depend on the number of threads. Only a part of
/// the channels is in memory at a time. Cost: two walks from every switch with hosts to every host,
/// and one walk more for each part.
std::vector<ChannelBound> permutation_bounds(const RoutedNetwork& network,
                                             std::span<const std::uint32_t> hosts,
                                             unsigned threads = 0);

/// As many pairs (source, destination) of different hosts as the bound, all of which cross the
/// channel. No pairs for the channel of a host to its switch.
std::vector<std::pair<std::uint32_t, std::uint32_t>> worst_pairs(
    const RoutedNetwork& network, std::span<const std::uint32_t> hosts, std::uint32_t channel);

}  // namespace weft
