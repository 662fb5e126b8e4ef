// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing of messages: each message is placed after the previous message, or split over
// all channels of each AR group.
#include <algorithm>

#include "congestion/flow_walk.h"

namespace weft {
namespace {

/// Calls send(channel, units) with the share of each channel; the remainder is added to the first
/// channels.
template <class Send>
void send_parts(std::span<const std::uint32_t> channels, std::span<const std::uint32_t> shares,
                Ticks units, const Send& send) {
  const auto share = [&](std::size_t i) { return shares.empty() ? Ticks{1} : Ticks{shares[i]}; };
  Ticks sum = 0, rest = units;
  for (std::size_t i = 0; i < channels.size(); ++i) sum += share(i);
  // `units` is divided first, because `units * share(i)` may exceed 64 bits.
  const auto part = [&](std::size_t i) {
    return units / sum * share(i) + units % sum * share(i) / sum;
  };
  for (std::size_t i = 0; i < channels.size(); ++i) rest -= part(i);
  for (std::size_t i = 0; i < channels.size(); ++i) send(channels[i], part(i) + (i < rest ? 1 : 0));
}

/// Draws a channel with a probability in proportion to its share, and returns the share. All
/// channels of a sub-group have that share.
std::uint32_t draw_share(std::span<const std::uint32_t> shares, Rng& rng) {
  std::uint64_t sum = 0;
  for (const std::uint32_t share : shares) sum += share;
  std::uint64_t left = rng.below(sum);
  std::size_t i = 0;
  for (; left >= shares[i]; ++i) left -= shares[i];
  return shares[i];
}

}  // namespace

void FlowWalk::begin_choosing() {
  clear();
  plain_ = false;
  units_.resize(channel_data_.size(), 0);
}

void FlowWalk::add_step(std::uint32_t message, std::uint32_t channel, Ticks units) {
  if (step_count_ == steps_.size()) steps_.resize(2 * step_count_ + 64);
  steps_[step_count_++] = {message, channel};
  units_[channel] += units;
}

void FlowWalk::weigh(std::size_t messages) {
  std::ranges::sort(failed_);
  weights_.assign(messages, 0);
  for (const Step& step : steps())
    weights_[step.message] = std::max(weights_[step.message], load(step.channel));
}

/// Fills path_; false if the message has no path.
bool FlowWalk::choose_path(const Message& message, Rng& rng) {
  path_.clear();
  const std::uint32_t goal = network_.node_of_host(message.to);
  std::uint32_t at = network_.node_of_host(message.from);
  const auto load_with = [&](std::uint32_t channel) {
    return (units_[channel] + message.units) *
           (costs_.per_unit.empty() ? Ticks{1} : costs_.per_unit[channel]);
  };
  const std::uint8_t sl = network_.sl(message.from, message.to, message.path);
  std::uint32_t table = 0;
  const std::size_t hops_max = std::size_t{network_.node_count()} * network_.table_count();
  while (at != goal) {
    const auto choices = network_.choices(at, message.to, message.path, table);
    const std::uint32_t own = network_.next(at, message.to, message.path);
    std::uint32_t channel = own;
    if (!choices.empty()) {
      // Among equally loaded channels of the group, the table's channel is preferred, then the
      // first channel from a random position on. With weights a sub-group is drawn first, because
      // hash-based forwarding does not depend on loads.
      const auto shares = network_.shares(at, message.to, message.path, table);
      const std::uint32_t share = shares.empty() ? 1 : draw_share(shares, rng);
      const auto is_used = [&](std::size_t i) { return shares.empty() || shares[i] == share; };
      Ticks least = ~Ticks{0};
      std::size_t i = rng.below(choices.size());
      for (std::size_t tried = 0; tried < choices.size(); ++tried) {
        const Ticks load = load_with(choices[i]);
        if (is_used(i) && (load < least || (load == least && choices[i] == own))) {
          least = load;
          channel = choices[i];
        }
        i = i + 1 < choices.size() ? i + 1 : 0;
      }
    }
    if (channel == RoutedNetwork::kNone || path_.size() >= hops_max) return false;
    path_.emplace_back(channel, message.units);
    at = network_.channel_heads()[channel];
    table = network_.table(channel, sl);
  }
  return true;
}

void FlowWalk::walk_greedily(std::span<const Message> messages, Rng& rng) {
  begin_choosing();
  for (const std::uint32_t m : rng.permutation(static_cast<std::uint32_t>(messages.size()))) {
    if (messages[m].from == messages[m].to) continue;
    if (!choose_path(messages[m], rng)) {
      failed_.push_back(m);
      continue;
    }
    for (const auto& [channel, units] : path_) add_step(m, channel, units);
  }
  weigh(messages.size());
}

/// Fills path_, hop by hop from all nodes with a part of the message; false if a part has no path.
/// At each node, the parts for different tables of the node are separate.
bool FlowWalk::split_path(const Message& message) {
  path_.clear();
  const std::uint32_t tables = network_.table_count();
  amount_.resize(std::size_t{network_.node_count()} * tables, 0);
  const std::uint32_t goal = network_.node_of_host(message.to);
  const std::uint8_t sl = network_.sl(message.from, message.to, message.path);
  here_.assign(1, {network_.node_of_host(message.from) * tables, message.units * kSplitParts});
  for (std::uint32_t hops = 0; !here_.empty(); ++hops) {
    if (hops >= amount_.size()) return false;
    there_.clear();
    const auto send = [&](std::uint32_t channel, Ticks units) {
      if (units == 0) return;
      path_.emplace_back(channel, units);
      const std::uint32_t to = network_.channel_heads()[channel];
      if (to == goal) return;
      const std::uint32_t place = to * tables + network_.table(channel, sl);
      if (amount_[place] == 0) there_.emplace_back(place, 0);
      amount_[place] += units;
    };
    bool lost = false;
    for (const auto& [place, units] : here_) {
      const std::uint32_t node = place / tables, table = place % tables;
      const auto choices = network_.choices(node, message.to, message.path, table);
      if (choices.empty()) {
        const std::uint32_t channel = network_.next(node, message.to, message.path);
        if (channel == RoutedNetwork::kNone)
          lost = true;
        else
          send(channel, units);
        continue;
      }
      send_parts(choices, network_.shares(node, message.to, message.path, table), units, send);
    }
    for (auto& [place, units] : there_) units = std::exchange(amount_[place], 0);
    if (lost) return false;
    std::swap(here_, there_);
  }
  return true;
}

void FlowWalk::walk_evenly(std::span<const Message> messages) {
  begin_choosing();
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    if (messages[m].from == messages[m].to) continue;
    if (!split_path(messages[m])) {
      failed_.push_back(m);
      continue;
    }
    for (const auto& [channel, units] : path_) add_step(m, channel, units);
  }
  weigh(messages.size());
}

}  // namespace weft
