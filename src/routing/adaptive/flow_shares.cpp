// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/flow_shares.h"

#include <algorithm>

#include "fabric/aggregation.h"

namespace weft {
namespace {

/// The possible output channels for a LID at each switch through which packets to the LID may pass.
/// The next hops of a switch precede the switch in the order.
class ChoiceOrder {
 public:
  struct Step {
    SwitchId sw;
    std::uint32_t begin = 0, end = 0;  // range of its channels
  };

  ChoiceOrder(const Fabric& fabric, const Routes& routes, SwitchId to, Lid lid)
      : fabric_(fabric), routes_(routes), to_(to), lid_(lid), states_(fabric.switch_count()) {}

  /// Finds the order. Returns false if there is a cycle.
  bool find() {
    states_[to_.value()] = kDone;
    const std::vector<bool> leaves = leaf_switches(fabric_);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      if (states_[s] == kNew && leaves[s] && !search(SwitchId(s))) return false;
    return true;
  }
  std::span<const Step> steps() const { return order_; }
  std::span<const ChannelId> channels(const Step& step) const {
    return std::span(channels_).subspan(step.begin, step.end - step.begin);
  }
  std::span<const ChannelId> channels() const { return channels_; }

 private:
  enum State : std::uint8_t { kNew, kOpen, kDone };
  struct Visit {
    Step step;
    std::uint32_t next = 0;
  };

  void open(SwitchId sw) {
    states_[sw.value()] = kOpen;
    const auto begin = static_cast<std::uint32_t>(channels_.size());
    const ArTables* adaptive = routes_.adaptive ? &*routes_.adaptive : nullptr;
    for_each_choice(routes_.lfts, adaptive, sw, lid_, [&](PortNum port) {
      const ChannelId channel = port == kNoRoute ? kNoChannel : fabric_.channel_at(sw, port);
      if (channel != kNoChannel) channels_.push_back(channel);
    });
    visits_.push_back({{sw, begin, static_cast<std::uint32_t>(channels_.size())}, begin});
  }

  bool search(SwitchId from) {
    open(from);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      if (visit.next == visit.step.end) {
        states_[visit.step.sw.value()] = kDone;
        order_.push_back(visit.step);
        visits_.pop_back();
        continue;
      }
      const SwitchId next = fabric_.channel(channels_[visit.next++]).to;
      if (states_[next.value()] == kOpen) return false;
      if (states_[next.value()] == kNew) open(next);
    }
    return true;
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const SwitchId to_;
  const Lid lid_;
  std::vector<State> states_;  // by SwitchId
  std::vector<ChannelId> channels_;
  std::vector<Visit> visits_;
  std::vector<Step> order_;
};

}  // namespace

std::optional<FlowShares> flow_shares(const Fabric& fabric, std::span<const std::uint32_t> rates,
                                      const Routes& routes, SwitchId to, Lid lid) {
  ChoiceOrder order(fabric, routes, to, lid);
  if (!order.find()) return std::nullopt;
  FlowShares shares{std::vector<double>(fabric.channel_count(), 0),
                    std::vector<std::uint8_t>(fabric.switch_count(), 0)};
  std::vector<double> arriving(fabric.switch_count(), 0);  // by switch: sum of input rates
  for (const ChannelId channel : order.channels())
    arriving[fabric.channel(channel).to.value()] += rates[channel.value()];
  std::vector<double> passed_on(fabric.switch_count(), 0);
  for (const ChoiceOrder::Step& step : order.steps()) {
    shares.reached[step.sw.value()] = 1;
    for (const ChannelId channel : order.channels(step)) {
      const SwitchId next = fabric.channel(channel).to;
      const double rate = rates[channel.value()];
      const double share =
          next == to ? rate
                     : std::min(rate, passed_on[next.value()] * rate / arriving[next.value()]);
      shares.of_channel[channel.value()] = share;
      passed_on[step.sw.value()] += share;
    }
  }
  return shares;
}

}  // namespace weft
