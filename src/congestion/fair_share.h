// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, 1987). The
// rates of all messages grow together until a channel is full. The messages on that channel keep
// their rates, and the other rates continue to grow. These rates are more exact than 1/congestion,
// which divides the fullest channel equally even if other channels limit some of its messages.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "congestion/flow_walk.h"

namespace weft {

class FairShare {
 public:
  /// Returns the rate of each message, relative to the rate of the fastest host; 0 for messages
  /// without a route and from a host to itself. The result is valid until the next call. Channel
  /// capacities follow from `costs`. Cost: O(steps * log channels).
  std::span<const double> rates(const RoutedNetwork& network, const ChannelCosts& costs,
                                const FlowWalk& walk, std::size_t messages);

 private:
  struct ChannelLevel {
    double level;  // the rate at which the channel is full
    std::uint32_t channel;
    bool operator>(const ChannelLevel& other) const {
      return level != other.level ? level > other.level : channel > other.channel;
    }
  };

  std::vector<double> rate_;
  std::vector<double> free_capacity_;  // by channel: unassigned capacity
  std::vector<std::uint32_t> open_;    // by channel: messages without a rate
  std::vector<std::uint32_t> begin_;   // offsets into members_: by channel, and by message
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> route_begin_;
  std::vector<std::uint32_t> routes_;
};

}  // namespace weft
