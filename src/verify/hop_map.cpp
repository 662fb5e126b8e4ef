// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/hop_map.h"

namespace weft {
namespace {

/// Switches in order of their hop count to the nearest switch with CAs.
std::vector<std::uint32_t> order_from_cas(const Fabric& fabric) {
  const std::uint32_t switches = fabric.switch_count();
  std::vector<std::uint32_t> order;
  order.reserve(switches);
  std::vector<bool> found(switches, false);
  const auto find = [&](std::uint32_t s) {
    if (found[s]) return;
    found[s] = true;
    order.push_back(s);
  };
  for (std::uint32_t s = 0; s < switches; ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) find(s);
  for (std::size_t head = 0; head < order.size(); ++head)
    for (const Channel& channel : fabric.channels_from(SwitchId(order[head])))
      find(channel.to.value());
  for (std::uint32_t s = 0; s < switches; ++s) find(s);
  return order;
}

}  // namespace

HopMap::HopMap(const Fabric& fabric, const DependencyGraph& layout)
    : of_port_(fabric.switch_count() * kPorts, kNoHop), order_(order_from_cas(fabric)) {
  first_.reserve(fabric.switch_count());
  hops_.reserve(fabric.channel_count());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    first_.push_back(static_cast<std::uint32_t>(hops_.size()));
    const auto channels = fabric.channels_from(SwitchId(s));
    const auto count = static_cast<std::uint8_t>(channels.size());
    const bool consecutive =
        count > 0 &&
        channels.back().from_port.value() - channels.front().from_port.value() + 1 == count;
    consecutive_.push_back(consecutive ? Ports{channels.front().from_port.value(), count}
                                       : Ports{});
    std::uint8_t hop = 0;
    for (const Channel& channel : channels) {
      const ChannelId id(static_cast<std::uint32_t>(hops_.size()));
      of_port_[s * kPorts + channel.from_port.value()] = hop++;
      hops_.push_back({channel.to.value(), layout.first_bit(id)});
    }
  }
}

}  // namespace weft
