// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes messages through the network and counts the loads of channels. With static routes all
// messages are routed at once, hop by hop rather than message by message: memory accesses of one
// hop are independent, so the processor overlaps them. With adaptive routing the messages are
// routed one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "congestion/routed_network.h"
#include "congestion/tally.h"

namespace weft {

struct Message {
  std::uint32_t from = 0;  // hosts
  std::uint32_t to = 0;
  std::uint32_t path = 0;
  std::uint32_t units = 1;
};

/// Time costs of channels: `per_unit[channel]` ticks for a unit of a message. Empty: one each.
struct ChannelCosts {
  std::vector<std::uint32_t> per_unit;
  std::uint32_t least = 1;  // of the fastest host channel: a message's time without congestion
};

/// Channel costs from the network's link rates, if `link_rates`. Weight 1 is the rate of the
/// fastest host; a channel without a rate counts as that rate. Fails with kBadInput if no channel
/// from a host has a rate.
Result<ChannelCosts> channel_costs(const RoutedNetwork& network, bool link_rates);

class FlowWalk {
 public:
  struct Step {
    std::uint32_t message;
    std::uint32_t channel;
  };

  FlowWalk(const RoutedNetwork& network, const ChannelCosts& costs);

  /// Replaces the results of the previous call. `plain`: all messages are of one unit. Messages
  /// from a host to itself use no channel.
  void walk(std::span<const Message> messages, bool plain);

  /// As walk(), with adaptive routing: messages are placed one after the other, in an order drawn
  /// by `rng`. At every hop a message uses the least loaded channel of the AR group (with weights:
  /// of a sub-group that is drawn by weight); among equally loaded channels the channel of the
  /// forwarding table is preferred.
  void walk_greedily(std::span<const Message> messages, Rng& rng);

  /// Ideal adaptive routing: every message is split evenly over the channels of each group. Loads
  /// and weights are in units of 1 / kSplitParts.
  static constexpr Ticks kSplitParts = 1 << 20;
  void walk_evenly(std::span<const Message> messages);

  /// By message: the largest load on its path, in ticks; 0 without a route or channel.
  std::span<const Ticks> weights() const { return weights_; }
  /// Messages without a route, in ascending order.
  std::span<const std::uint32_t> failed() const { return failed_; }
  /// All channels of the routes of all messages that did not fail.
  std::span<const Step> steps() const { return std::span(steps_).first(step_count_); }
  /// Ticks that a channel needs for all messages routed over it.
  Ticks load(std::uint32_t channel) const {
    if (plain_) return channel_data_[channel].messages;
    return costs_.per_unit.empty() ? units_[channel] : units_[channel] * costs_.per_unit[channel];
  }

 private:
  struct Active {
    std::size_t row;  // index of the destination's first entry
    std::uint32_t node;
    std::uint32_t goal;
    std::uint32_t message;
    std::uint32_t mark;  // a node on the route: a second visit is a loop
  };
  /// The data of a channel that a hop reads and writes, adjacent in memory.
  struct ChannelData {
    std::uint32_t head;
    std::uint32_t messages;
  };
  template <bool kPlain, class Entry>
  void walk_by(std::span<const Entry> table, Entry none, std::span<const Message> messages);
  template <bool kPlain>
  void walk_as(std::span<const Message> messages);
  void drop_failed(std::span<const Message> messages);
  void begin_choosing();
  void add_step(std::uint32_t message, std::uint32_t channel, Ticks units);
  void weigh(std::size_t messages);
  bool choose_path(const Message& message, Rng& rng);
  bool split_path(const Message& message);
  void clear();

  const RoutedNetwork& network_;
  const ChannelCosts& costs_;
  bool plain_ = true;  // every message is one unit, and every channel takes a tick for it
  std::vector<ChannelData> channel_data_;  // by channel
  std::vector<Ticks> units_;               // by channel; unused if plain_
  std::vector<Active> active_;
  std::vector<Step> steps_;  // the first step_count_ are valid
  std::size_t step_count_ = 0;
  std::vector<Ticks> weights_;
  std::vector<std::uint32_t> failed_;
  // The current adaptively routed message: its channels, and the load that it adds to each.
  std::vector<std::pair<std::uint32_t, Ticks>> path_;
  // Nodes with their table (node * table_count() + table), and the parts of the message there.
  std::vector<std::pair<std::uint32_t, Ticks>> here_, there_;
  std::vector<Ticks> amount_;  // by node and table: part of the message in there_
};

}  // namespace weft
