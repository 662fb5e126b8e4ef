// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing of messages: each message is placed after the previous one, or split over all
// choices.
#include <algorithm>

#include "congestion/flow_walk.h"

namespace weft {

void FlowWalk::begin_choosing() {
  clear();
  plain_ = false;
  units_.resize(lanes_.size(), 0);
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
  while (at != goal) {
    const auto choices = network_.choices(at, message.to, message.path);
    std::uint32_t channel = network_.next(at, message.to, message.path);
    if (!choices.empty()) {
      // Among equally loaded channels, the table's channel is preferred, then the first one counted
      // from a random channel.
      Ticks least = channel == RoutedNetwork::kNone ? ~Ticks{0} : load_with(channel);
      std::size_t i = rng.below(choices.size());
      for (std::size_t tried = 0; tried < choices.size(); ++tried) {
        if (const Ticks load = load_with(choices[i]); load < least) {
          least = load;
          channel = choices[i];
        }
        i = i + 1 < choices.size() ? i + 1 : 0;
      }
    }
    if (channel == RoutedNetwork::kNone || path_.size() >= network_.node_count()) return false;
    path_.emplace_back(channel, message.units);
    at = network_.channel_heads()[channel];
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
bool FlowWalk::split_path(const Message& message) {
  path_.clear();
  amount_.resize(network_.node_count(), 0);
  const std::uint32_t goal = network_.node_of_host(message.to);
  here_.assign(1, {network_.node_of_host(message.from), message.units * kSplitParts});
  for (std::uint32_t hops = 0; !here_.empty(); ++hops) {
    if (hops >= network_.node_count()) return false;
    there_.clear();
    const auto send = [&](std::uint32_t channel, Ticks units) {
      if (units == 0) return;
      path_.emplace_back(channel, units);
      const std::uint32_t to = network_.channel_heads()[channel];
      if (to == goal) return;
      if (amount_[to] == 0) there_.emplace_back(to, 0);
      amount_[to] += units;
    };
    bool lost = false;
    for (const auto& [node, units] : here_) {
      const auto choices = network_.choices(node, message.to, message.path);
      if (choices.empty()) {
        const std::uint32_t channel = network_.next(node, message.to, message.path);
        if (channel == RoutedNetwork::kNone)
          lost = true;
        else
          send(channel, units);
        continue;
      }
      // The remainder goes to the first channels.
      for (std::size_t i = 0; i < choices.size(); ++i)
        send(choices[i], units / choices.size() + (i < units % choices.size() ? 1 : 0));
    }
    for (auto& [node, units] : there_) units = std::exchange(amount_[node], 0);
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
