// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Number of multicast trees by channel, in proportion to the link rates: the load rule that selects
// roots and branches of trees with every engine.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routing/balance/channel_weights.h"

namespace weft::multicast {

class Loads {
 public:
  explicit Loads(const Fabric& fabric)
      : fabric_(fabric), weights_(channel_weights(fabric)), trees_(fabric.channel_count(), 0) {}

  /// The load of the channel if one more tree uses it: trees times the weight of the link rate, so
  /// a tree on a link of a quarter of the rate counts four times.
  std::uint64_t with_one_more(ChannelId channel) const {
    return (std::uint64_t{trees_[channel.value()]} + 1) * weights_[channel.value()];
  }

  /// The largest load and the sum of the loads of these channels if one more tree uses all of them.
  std::pair<std::uint64_t, std::uint64_t> with_one_more(std::span<const ChannelId> channels) const;

  /// Adds a tree with packets in both directions of these channels.
  void add(std::span<const ChannelId> channels);
  void clear() { trees_.assign(trees_.size(), 0); }

 private:
  const Fabric& fabric_;
  std::vector<std::uint32_t> weights_;  // by channel, inversely proportional to the rate
  std::vector<std::uint32_t> trees_;    // by channel
};

}  // namespace weft::multicast
