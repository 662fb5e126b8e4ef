// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/divisions/flow_splits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/parallel.h"
#include "fabric/aggregation.h"
#include "routing/divisions/flow_shares.h"

namespace weft {
namespace {

constexpr unsigned kPassesMax = 40;
// balance() ends if in kPatience passes the largest load does not decrease by the factor kLessLoad.
constexpr unsigned kPatience = 4;
constexpr double kLessLoad = 0.995;
constexpr double kFirstStep = 0.1;
constexpr std::size_t kLeavesOfBlock = 8;
// Loads are integers, so that their sum is the same in any order.
constexpr double kUnitsOfMessage = 1 << 16;

double fourth_power(double x) { return x * x * (x * x); }

}  // namespace

void set_equal_parts(const ChoiceOrder& order, const ChoiceOrder::Step& step,
                     std::vector<double>& part) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = step.begin; i < step.end; ++i) sum += order.lid_counts[i];
  for (std::uint32_t i = step.begin; i < step.end; ++i)
    part[order.channels[i].value()] = static_cast<double>(order.lid_counts[i]) / sum;
}

FlowSplits::FlowSplits(const Fabric& fabric, std::span<const std::uint32_t> rates,
                       const std::vector<bool>& divides, std::span<const LeafChoices> leaves,
                       unsigned threads)
    : fabric_(fabric),
      rates_(rates),
      divides_(divides),
      leaves_(leaves),
      threads_(threads),
      hosts_(traffic_ports_by_switch(fabric)),
      price_(fabric.channel_count(), 0) {}

void FlowSplits::split(const LeafChoices& to, std::vector<double>& part) const {
  flow_shares(fabric_, rates_, to.order, to.leaf, part);
  std::vector<double> price_to_leaf(fabric_.switch_count(), 0);
  for (std::size_t i = 0; i < to.order.steps.size(); ++i) {
    const ChoiceOrder::Step& step = to.order.steps[i];
    const auto channels = to.order.channels_of(step);
    const auto price = [&](ChannelId channel) {
      return price_[channel.value()] + price_to_leaf[fabric_.channel(channel).to.value()];
    };
    if (step.is_group && divides_[step.sw.value()]) {
      double least = std::numeric_limits<double>::infinity();
      for (const ChannelId channel : channels) least = std::min(least, price(channel));
      for (const ChannelId channel : channels)
        part[channel.value()] /= fourth_power(1 + price(channel) - least);
    } else {
      set_equal_parts(to.order, step, part);
    }
    double sum = 0, mean = 0;
    for (const ChannelId channel : channels) sum += part[channel.value()];
    for (const ChannelId channel : channels) part[channel.value()] /= sum;
    if (restriction_) restriction_(to, i, part);
    for (const ChannelId channel : channels) mean += part[channel.value()] * price(channel);
    price_to_leaf[step.sw.value()] = mean;
  }
}

void FlowSplits::add_loads(const LeafChoices& to, std::span<const double> part,
                           std::vector<double>& passing, Loads& load) const {
  const double for_leaf = kUnitsOfMessage * hosts_[to.leaf.value()];
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) passing[s] = for_leaf * hosts_[s];
  const auto& steps = to.order.steps;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    for (const ChannelId channel : to.order.channels_of(*step)) {
      const double flow = passing[step->sw.value()] * part[channel.value()];
      passing[fabric_.channel(channel).to.value()] += flow;
      load[channel.value()] += std::llround(flow);
    }
}

FlowSplits::Loads FlowSplits::loads(const Parts& parts) const {
  Loads sum(fabric_.channel_count(), 0);
  std::mutex mutex;
  parallel_blocks(
      leaves_.size(), kLeavesOfBlock, threads_, [&](std::size_t begin, std::size_t end) {
        std::vector<double> part(fabric_.channel_count(), 0), passing(fabric_.switch_count(), 0);
        Loads load(fabric_.channel_count(), 0);
        for (std::size_t i = begin; i < end; ++i) {
          parts(leaves_[i], part);
          add_loads(leaves_[i], part, passing, load);
        }
        const std::lock_guard lock(mutex);
        for (std::size_t c = 0; c < load.size(); ++c) sum[c] += load[c];
      });
  return sum;
}

double FlowSplits::largest(const Loads& load) const {
  double largest = 0;
  for (std::size_t c = 0; c < load.size(); ++c)
    largest = std::max(largest, static_cast<double>(load[c]) / rates_[c]);
  return largest / kUnitsOfMessage;
}

void FlowSplits::raise_prices(const Loads& load, double most, double step) {
  const double unit = most * kUnitsOfMessage;
  for (std::size_t c = 0; c < load.size(); ++c)
    price_[c] += step * fourth_power(fourth_power(static_cast<double>(load[c]) / rates_[c] / unit));
}

void FlowSplits::balance(Restriction restriction) {
  restriction_ = std::move(restriction);
  std::ranges::fill(price_, 0);
  const auto with_prices = [&](const LeafChoices& to, std::vector<double>& part) {
    split(to, part);
  };
  Loads load = loads(with_prices);
  double now = largest(load), best = now, goal = best * kLessLoad;
  if (best == 0) return;
  std::vector<double> best_prices = price_;
  unsigned since = 0;
  for (unsigned pass = 1; pass <= kPassesMax && since < kPatience; ++pass, ++since) {
    raise_prices(load, now, kFirstStep / std::sqrt(pass));
    load = loads(with_prices);
    now = largest(load);
    if (now >= best) continue;
    best = now;
    best_prices = price_;
    if (now > goal) continue;
    goal = now * kLessLoad;
    since = 0;
  }
  price_ = std::move(best_prices);
}

}  // namespace weft
