// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/hops.h"

#include <utility>

namespace weft {

OrderedHops ordered_hops_from(const Fabric& fabric, std::span<const SwitchId> sources) {
  std::vector<std::uint16_t> hops(fabric.switch_count(), kNoHops);
  std::vector<std::uint32_t> queue;
  queue.reserve(fabric.switch_count());
  for (const SwitchId source : sources) {
    if (hops[source.value()] == 0) continue;
    hops[source.value()] = 0;
    queue.push_back(source.value());
  }
  // Once all switches are in the queue, no channel leads to a new switch.
  const auto is_left = [&] { return queue.size() < fabric.switch_count(); };
  for (std::size_t head = 0; head < queue.size() && is_left(); ++head) {
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head]))) {
      std::uint16_t& to = hops[channel.to.value()];
      if (to != kNoHops) continue;
      to = static_cast<std::uint16_t>(hops[queue[head]] + 1);
      queue.push_back(channel.to.value());
    }
  }
  return {std::move(hops), std::move(queue)};
}

std::vector<std::uint16_t> hops_from(const Fabric& fabric, std::span<const SwitchId> sources) {
  return ordered_hops_from(fabric, sources).hops;
}

}  // namespace weft
