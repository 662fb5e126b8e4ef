// Max-min fair rates: all messages speed up together until a channel is full; those on it keep
// their rate and the others go on (progressive filling; Bertsekas and Gallager, Data Networks,
// 1987). Finer than 1/congestion, where a message keeps to its share on the fullest channel though
// its rivals are slower for other reasons.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "congestion/flow_walk.h"

namespace weft {

class FairShare {
 public:
  /// By message, in parts of the rate of the fastest host; 0 for messages without a route. What
  /// channels can carry follows from `costs`. Cost: O(steps * log channels).
  std::span<const double> rates(const RoutedNetwork& network, const ChannelCosts& costs,
                                const FlowWalk& walk, std::size_t messages);

 private:
  struct Full {
    double level;  // the rate at which the channel is full
    std::uint32_t channel;
    bool operator>(const Full& other) const {
      return level != other.level ? level > other.level : channel > other.channel;
    }
  };

  std::vector<double> rate_;
  std::vector<double> room_;          // by channel: capacity that is not given away
  std::vector<std::uint32_t> open_;   // by channel: messages without a rate
  std::vector<std::uint32_t> begin_;  // by channel, and by message
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> route_begin_;
  std::vector<std::uint32_t> routes_;
};

}  // namespace weft
