// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/divisions/flow_shares.h"

#include <algorithm>

namespace weft {

void flow_shares(const Fabric& fabric, std::span<const std::uint32_t> rates,
                 const ChoiceOrder& order, SwitchId to, std::vector<double>& of_channel) {
  std::vector<double> arriving(fabric.switch_count(), 0);  // by switch: sum of input rates
  for (const ChannelId channel : order.channels)
    arriving[fabric.channel(channel).to.value()] += rates[channel.value()];
  std::vector<double> passed_on(fabric.switch_count(), 0);
  for (const ChoiceOrder::Step& step : order.steps)
    for (const ChannelId channel : order.channels_of(step)) {
      const SwitchId next = fabric.channel(channel).to;
      const double rate = rates[channel.value()];
      const double share =
          next == to ? rate
                     : std::min(rate, passed_on[next.value()] * rate / arriving[next.value()]);
      of_channel[channel.value()] = share;
      passed_on[step.sw.value()] += share;
    }
}

}  // namespace weft
