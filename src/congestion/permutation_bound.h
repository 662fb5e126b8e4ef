// The worst that a permutation can do to a channel: the most messages that cross it at once when
// every host sends to one and receives from one. That is a largest matching between the hosts that
// reach somebody over the channel and those whom they reach so; the smaller of the two numbers is
// only a bound. Hosts at one switch have the same ways, so sources are matched by switch (König;
// augmenting paths as in Kuhn, 1955).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "congestion/routed_network.h"

namespace weft {

struct ChannelBound {
  std::uint32_t channel = 0;
  std::uint32_t sources = 0;       // hosts that cross it to somebody
  std::uint32_t destinations = 0;  // hosts that somebody reaches over it
  std::uint32_t flows = 0;         // the largest matching
  bool operator==(const ChannelBound&) const = default;
};

/// Of every channel, by id, for permutations of `hosts` on the ways of their base LIDs. Routes that
/// fail count for nothing. Equal for any number of threads. Cost: three walks of every switch with
/// hosts to every host, and memory for a part of their channels at a time.
std::vector<ChannelBound> permutation_bounds(const RoutedNetwork& network,
                                             std::span<const std::uint32_t> hosts,
                                             unsigned threads = 0);

/// As many pairs (source, destination) as the bound says, all of which cross the channel.
std::vector<std::pair<std::uint32_t, std::uint32_t>> worst_pairs(
    const RoutedNetwork& network, std::span<const std::uint32_t> hosts, std::uint32_t channel);

}  // namespace weft
