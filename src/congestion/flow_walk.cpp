// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/flow_walk.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace weft {

Result<ChannelCosts> channel_costs(const RoutedNetwork& network, bool link_rates) {
  ChannelCosts costs;
  if (!link_rates) return costs;
  std::uint64_t host_rate = 0;
  std::size_t host_cables = 0;
  for (const NetChannel& channel : network.channels()) {
    if (!network.is_host(channel.from)) continue;
    host_rate = std::max<std::uint64_t>(host_rate, channel.rate);
    ++host_cables;
  }
  if (host_rate == 0)
    return fail(Code::kBadInput,
                "--link-rates: found {} host cables without a rate, expected at least one host "
                "cable with a rate",
                host_cables);
  // The rates of all widths and speeds divide 816,000 (in units of 100 Mbit/s), and the lowest is
  // 20, so that a unit needs at most 40,800 ticks.
  std::uint64_t ticks = 1;
  for (const NetChannel& channel : network.channels())
    if (channel.rate != 0)
      ticks = std::lcm(ticks, channel.rate / std::gcd<std::uint64_t>(channel.rate, host_rate));
  for (const NetChannel& channel : network.channels()) {
    const std::uint64_t rate = channel.rate == 0 ? host_rate : channel.rate;
    costs.per_unit.push_back(static_cast<std::uint32_t>(ticks * host_rate / rate));
  }
  costs.least = static_cast<std::uint32_t>(ticks);
  return costs;
}

FlowWalk::FlowWalk(const RoutedNetwork& network, const ChannelCosts& costs)
    : network_(network), costs_(costs) {
  for (const std::uint32_t head : network.channel_heads()) channel_data_.push_back({head, 0});
}

void FlowWalk::clear() {
  if (step_count_ * 8 > channel_data_.size()) {
    for (ChannelData& channel_data : channel_data_) channel_data.messages = 0;
    std::ranges::fill(units_, 0);
  } else {
    for (const Step& step : steps()) {
      channel_data_[step.channel].messages = 0;
      if (!units_.empty()) units_[step.channel] = 0;
    }
  }
  step_count_ = 0;
  failed_.clear();
}

void FlowWalk::walk(std::span<const Message> messages, bool plain) {
  clear();
  plain_ = plain && costs_.per_unit.empty();
  if (!plain_) units_.resize(channel_data_.size(), 0);
  if (plain_)
    walk_as<true>(messages);
  else
    walk_as<false>(messages);
}

template <bool kPlain>
void FlowWalk::walk_as(std::span<const Message> messages) {
  if (network_.wide_table().empty())
    walk_by<kPlain, std::uint8_t>(network_.narrow_table(), RoutedNetwork::kNarrowNone, messages);
  else
    walk_by<kPlain, std::uint32_t>(network_.wide_table(), RoutedNetwork::kNone, messages);
  if (!failed_.empty()) drop_failed(messages);
  weights_.assign(messages.size(), 0);
  for (const Step& step : steps()) {
    const Ticks here = kPlain ? channel_data_[step.channel].messages : load(step.channel);
    weights_[step.message] = std::max(weights_[step.message], here);
  }
}

template <bool kPlain, class Entry>
void FlowWalk::walk_by(std::span<const Entry> table, Entry none,
                       std::span<const Message> messages) {
  const std::uint32_t rows = network_.rows();
  const auto begin = network_.channel_begin();
  const auto only = network_.only_channel();
  active_.clear();
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    const Message& message = messages[m];
    if (message.from == message.to) continue;
    const std::size_t destination = std::size_t{message.to} * network_.paths() + message.path;
    active_.push_back({destination * rows, network_.node_of_host(message.from),
                       network_.node_of_host(message.to), m, RoutedNetwork::kNone});
  }
  constexpr std::size_t kAhead = 16;  // distance of prefetched entries
  for (std::uint32_t hops = 1; !active_.empty(); ++hops) {
    // Marks the nodes after 1, 2, 4, 8.. hops: a message that returns to its mark is in a loop.
    const bool marks = std::has_single_bit(hops);
    if (steps_.size() < step_count_ + active_.size())
      steps_.resize(2 * (step_count_ + active_.size()));
    Step* step = steps_.data() + step_count_;
    std::size_t left = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      if (i + kAhead < active_.size()) {
        const Active& soon = active_[i + kAhead];
        if (soon.node < rows) __builtin_prefetch(table.data() + soon.row + soon.node);
      }
      Active a = active_[i];
      std::uint32_t channel = RoutedNetwork::kNone;
      if (a.node < rows) {
        const Entry place = table[a.row + a.node];
        if (place != none) channel = begin[a.node] + place;
      } else {
        channel = only[a.node];
      }
      if (channel == RoutedNetwork::kNone || a.node == a.mark) {
        failed_.push_back(a.message);
        continue;
      }
      if (marks) a.mark = a.node;
      *step++ = {a.message, channel};
      ChannelData& channel_data = channel_data_[channel];
      if constexpr (kPlain)
        ++channel_data.messages;
      else
        units_[channel] += messages[a.message].units;
      a.node = channel_data.head;
      active_[left] = a;
      left += a.node != a.goal ? 1 : 0;
    }
    active_.resize(left);
    step_count_ = static_cast<std::size_t>(step - steps_.data());
  }
}

void FlowWalk::drop_failed(std::span<const Message> messages) {
  std::ranges::sort(failed_);
  std::vector<bool> failed(messages.size());
  for (const std::uint32_t message : failed_) failed[message] = true;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < step_count_; ++i) {
    const Step step = steps_[i];
    if (!failed[step.message]) {
      steps_[kept++] = step;
    } else if (plain_) {
      --channel_data_[step.channel].messages;
    } else {
      units_[step.channel] -= messages[step.message].units;
    }
  }
  step_count_ = kept;
}

}  // namespace weft
