// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/fair_share.h"

#include <algorithm>
#include <functional>

namespace weft {
namespace {
constexpr double kUnsettled = -1;
}

std::span<const double> FairShare::rates(const RoutedNetwork& network, const ChannelCosts& costs,
                                         const FlowWalk& walk, std::size_t messages) {
  const std::uint32_t channels = network.channel_count();
  rate_.assign(messages, kUnsettled);
  open_.assign(channels, 0);
  begin_.assign(channels + std::size_t{1}, 0);
  route_begin_.assign(messages + 1, 0);
  for (const FlowWalk::Step& step : walk.steps()) {
    ++begin_[step.channel + std::size_t{1}];
    ++route_begin_[step.message + std::size_t{1}];
    ++open_[step.channel];
  }
  for (std::size_t i = 0; i < channels; ++i) begin_[i + 1] += begin_[i];
  for (std::size_t i = 0; i < messages; ++i) route_begin_[i + 1] += route_begin_[i];
  members_.resize(walk.steps().size());
  routes_.resize(walk.steps().size());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  std::vector<std::uint32_t> route_at(route_begin_.begin(), route_begin_.end() - 1);
  for (const FlowWalk::Step& step : walk.steps()) {
    members_[at[step.channel]++] = step.message;
    routes_[route_at[step.message]++] = step.channel;
  }
  free_capacity_.resize(channels);
  std::priority_queue<ChannelLevel, std::vector<ChannelLevel>, std::greater<>> queue;
  for (std::uint32_t c = 0; c < channels; ++c) {
    if (open_[c] == 0) continue;
    free_capacity_[c] = costs.per_unit.empty() ? 1.0 : double{1} * costs.least / costs.per_unit[c];
    queue.push({free_capacity_[c] / open_[c], c});
  }
  // The level of a channel increases while other channels fix the rates of its messages, so an
  // outdated entry of the queue is pushed again with the current level.
  while (!queue.empty()) {
    const ChannelLevel lowest = queue.top();
    queue.pop();
    if (open_[lowest.channel] == 0) continue;
    const double level = free_capacity_[lowest.channel] / open_[lowest.channel];
    if (level > lowest.level) {
      queue.push({level, lowest.channel});
      continue;
    }
    for (std::uint32_t i = begin_[lowest.channel]; i < begin_[lowest.channel + std::size_t{1}];
         ++i) {
      const std::uint32_t message = members_[i];
      if (rate_[message] != kUnsettled) continue;
      rate_[message] = lowest.level;
      for (std::uint32_t k = route_begin_[message]; k < route_begin_[message + std::size_t{1}];
           ++k) {
        const std::uint32_t channel = routes_[k];
        free_capacity_[channel] = std::max(0.0, free_capacity_[channel] - lowest.level);
        --open_[channel];
      }
    }
  }
  std::ranges::replace(rate_, kUnsettled, 0.0);
  return rate_;
}

}  // namespace weft
