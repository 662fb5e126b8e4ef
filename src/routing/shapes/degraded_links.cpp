// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/degraded_links.h"

#include <algorithm>

namespace weft {
namespace {

unsigned rate_of(const Fabric& fabric, const Channel& channel) {
  const Port& port = fabric.port(fabric.port_id(Fabric::node_of(channel.from), channel.from_port));
  return data_rate_100mbit(port.width, port.speed);
}

}  // namespace

std::vector<bool> guess_degraded_links(const Fabric& fabric) {
  std::vector<unsigned> fastest(fabric.switch_count(), 0);
  for (const Channel& channel : fabric.channels()) {
    unsigned& most = fastest[channel.from.value()];
    most = std::max(most, rate_of(fabric, channel));
  }
  std::vector<bool> result;
  result.reserve(fabric.channel_count());
  for (const Channel& channel : fabric.channels())
    result.push_back(rate_of(fabric, channel) <
                     std::min(fastest[channel.from.value()], fastest[channel.to.value()]));
  return result;
}

std::vector<bool> avoidable_degraded_links(const Fabric& fabric,
                                           std::span<const std::uint64_t> weights) {
  const auto degraded = [&](ChannelId id) {
    return weights[id.value()] > kDegradedLinkWeight ||
           weights[fabric.channel(id).reverse.value()] > kDegradedLinkWeight;
  };
  std::vector<bool> result;
  if (std::ranges::none_of(weights, [](std::uint64_t w) { return w > kDegradedLinkWeight; }))
    return result;
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  // By switch: the lowest of the switches that are connected by paths without degraded links.
  std::vector<std::uint32_t> part(fabric.switch_count(), kNone);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t first = 0; first < fabric.switch_count(); ++first) {
    if (part[first] != kNone) continue;
    part[first] = first;
    queue.assign(1, first);
    while (!queue.empty()) {
      const SwitchId sw(queue.back());
      queue.pop_back();
      std::uint32_t id = fabric.first_channel(sw).value();
      for (const Channel& channel : fabric.channels_from(sw)) {
        std::uint32_t& there = part[channel.to.value()];
        if (!degraded(ChannelId(id++)) && there == kNone) {
          there = first;
          queue.push_back(channel.to.value());
        }
      }
    }
  }
  for (std::uint32_t id = 0; id < fabric.channel_count(); ++id) {
    const Channel& channel = fabric.channel(ChannelId(id));
    result.push_back(degraded(ChannelId(id)) &&
                     part[channel.from.value()] == part[channel.to.value()]);
  }
  return result;
}

void add_degraded_weights(const std::vector<bool>& degraded, std::vector<std::uint64_t>& weights) {
  if (std::ranges::find(degraded, true) == degraded.end()) return;
  if (weights.empty()) weights.assign(degraded.size(), 1);
  for (std::size_t c = 0; c < degraded.size(); ++c)
    if (degraded[c]) weights[c] += kDegradedLinkWeight;
}

}  // namespace weft
