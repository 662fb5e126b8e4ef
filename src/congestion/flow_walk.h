// Follows many messages through the network at once, hop by hop rather than message by message:
// the loads of one hop do not depend on each other, so the processor fetches them together.
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

/// How long channels take: `per_unit[channel]` ticks for a unit of a message. Empty: one each.
struct ChannelCosts {
  std::vector<std::uint32_t> per_unit;
  std::uint32_t least = 1;  // of the fastest host channel: what a message takes undisturbed
};

/// Channels as fast as the network says, where `link_rates`. Weight 1 is at the rate of the fastest
/// host; a channel that tells no rate counts as that fast. Fails with kBadInput where rates are so
/// odd that ticks would not be whole numbers of 32 bits.
Result<ChannelCosts> channel_costs(const RoutedNetwork& network, bool link_rates);

class FlowWalk {
 public:
  struct Step {
    std::uint32_t message;
    std::uint32_t channel;
  };

  FlowWalk(const RoutedNetwork& network, const ChannelCosts& costs);

  /// Replaces what was walked before. `plain`: all messages are of one unit. Messages from a host
  /// to itself take no channel.
  void walk(std::span<const Message> messages, bool plain);

  /// The same where nodes choose: message after message, in an order that `rng` gives, each at
  /// every hop takes the channel that is then least loaded; of equal ones next(), then any.
  void walk_greedily(std::span<const Message> messages, Rng& rng);

  /// The ideal: every message is split evenly over the channels of each choice. Loads and weights
  /// are in parts, kSplitParts of them a unit.
  static constexpr Ticks kSplitParts = 1 << 20;
  void walk_evenly(std::span<const Message> messages);

  /// By message: the largest load on its way, in ticks; 0 where it has no route or no channel.
  std::span<const Ticks> weights() const { return weights_; }
  /// Messages without a route, in ascending order.
  std::span<const std::uint32_t> failed() const { return failed_; }
  /// All channels of all routes, by hop; those of failed messages are left out.
  std::span<const Step> steps() const { return std::span(steps_).first(step_count_); }
  /// Ticks that a channel needs for all that goes over it.
  Ticks load(std::uint32_t channel) const {
    if (plain_) return lanes_[channel].messages;
    return costs_.per_unit.empty() ? units_[channel] : units_[channel] * costs_.per_unit[channel];
  }

 private:
  struct Active {
    std::size_t row;  // where the destination's entries begin
    std::uint32_t node;
    std::uint32_t goal;
    std::uint32_t message;
    std::uint32_t mark;  // a node met before: met again, the route is a loop
  };
  /// What a hop reads and writes of a channel, side by side in memory.
  struct Lane {
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
  bool choose_way(const Message& message, Rng& rng);
  bool split_way(const Message& message);
  void clear();

  const RoutedNetwork& network_;
  const ChannelCosts& costs_;
  bool plain_ = true;         // every message is one unit, and every channel takes a tick for it
  std::vector<Lane> lanes_;   // by channel
  std::vector<Ticks> units_;  // by channel, where not plain
  std::vector<Active> active_;
  std::vector<Step> steps_;  // the first step_count_ of them
  std::size_t step_count_ = 0;
  std::vector<Ticks> weights_;
  std::vector<std::uint32_t> failed_;
  // Of one message that chooses: the channels and what goes over each.
  std::vector<std::pair<std::uint32_t, Ticks>> way_;
  std::vector<std::pair<std::uint32_t, Ticks>> here_, there_;  // nodes, and what is at each
  std::vector<Ticks> amount_;                                  // by node, of there_
};

}  // namespace weft
