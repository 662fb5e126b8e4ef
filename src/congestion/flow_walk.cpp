#include "congestion/flow_walk.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace weft {

Result<ChannelCosts> channel_costs(const RoutedNetwork& network, bool link_rates) {
  ChannelCosts costs;
  if (!link_rates) return costs;
  std::uint64_t host_rate = 0;
  for (const NetChannel& channel : network.channels())
    if (network.is_host(channel.from)) host_rate = std::max<std::uint64_t>(host_rate, channel.rate);
  if (host_rate == 0) return fail(Code::kBadInput, "--link-rates: no host's cable tells its rate");
  constexpr std::uint64_t kTicksMax = 1'000'000;
  std::uint64_t ticks = 1;
  for (const NetChannel& channel : network.channels()) {
    if (channel.rate == 0) continue;
    ticks = std::lcm(ticks, channel.rate / std::gcd<std::uint64_t>(channel.rate, host_rate));
    if (ticks * host_rate > kTicksMax * kTicksMax)
      return fail(Code::kBadInput, "--link-rates: cables have too many different rates");
  }
  for (const NetChannel& channel : network.channels()) {
    const std::uint64_t rate = channel.rate == 0 ? host_rate : channel.rate;
    const std::uint64_t cost = ticks * host_rate / rate;
    if (cost > kTicksMax)
      return fail(Code::kBadInput, "--link-rates: cables of rates that differ too much");
    costs.per_unit.push_back(static_cast<std::uint32_t>(cost));
  }
  costs.least = static_cast<std::uint32_t>(ticks);
  return costs;
}

FlowWalk::FlowWalk(const RoutedNetwork& network, const ChannelCosts& costs)
    : network_(network), costs_(costs), load_(network.channel_count(), 0) {}

void FlowWalk::clear() {
  if (steps_.size() * 8 > load_.size()) {
    std::ranges::fill(load_, 0);
  } else {
    for (const Step& step : steps_) load_[step.channel] = 0;
  }
  steps_.clear();
  failed_.clear();
}

void FlowWalk::walk(std::span<const Message> messages) {
  clear();
  if (network_.wide_table().empty())
    walk_by<std::uint8_t>(network_.narrow_table(), RoutedNetwork::kNarrowNone, messages);
  else
    walk_by<std::uint32_t>(network_.wide_table(), RoutedNetwork::kNone, messages);
  if (!failed_.empty()) drop_failed(messages);
  weights_.assign(messages.size(), 0);
  if (costs_.per_unit.empty()) {
    for (const Step& step : steps_)
      weights_[step.message] = std::max(weights_[step.message], load_[step.channel]);
  } else {
    for (const Step& step : steps_)
      weights_[step.message] = std::max(weights_[step.message], load(step.channel));
  }
}

template <class Entry>
void FlowWalk::walk_by(std::span<const Entry> table, Entry none,
                       std::span<const Message> messages) {
  const std::uint32_t rows = network_.rows();
  const auto begin = network_.channel_begin();
  const auto heads = network_.channel_heads();
  const auto only = network_.only_channel();
  active_.clear();
  for (std::uint32_t m = 0; m < messages.size(); ++m) {
    const Message& message = messages[m];
    if (message.from == message.to) continue;
    const std::size_t destination = std::size_t{message.to} * network_.paths() + message.path;
    active_.push_back({destination * rows, network_.node_of_host(message.from),
                       network_.node_of_host(message.to), m, RoutedNetwork::kNone});
  }
  for (std::uint32_t hops = 1; !active_.empty(); ++hops) {
    const bool marks = std::has_single_bit(hops);
    std::size_t left = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
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
      steps_.push_back({a.message, channel});
      load_[channel] += messages[a.message].units;
      a.node = heads[channel];
      if (a.node != a.goal) active_[left++] = a;
    }
    active_.resize(left);
  }
}

void FlowWalk::drop_failed(std::span<const Message> messages) {
  std::ranges::sort(failed_);
  std::vector<bool> failed(messages.size());
  for (const std::uint32_t message : failed_) failed[message] = true;
  const auto drop = [&](const Step& step) {
    if (!failed[step.message]) return false;
    load_[step.channel] -= messages[step.message].units;
    return true;
  };
  std::erase_if(steps_, drop);
}

}  // namespace weft
