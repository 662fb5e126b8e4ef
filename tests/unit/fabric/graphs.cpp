// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "unit/fabric/graphs.h"

#include <algorithm>

#include "fabric/formats/write.h"

namespace weft {

std::vector<std::uint32_t> hops_from(const Fabric& fabric, std::uint32_t from) {
  std::vector<std::uint32_t> hops(fabric.switch_count(), fabric.switch_count());
  std::vector<std::uint32_t> queue{from};
  hops[from] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head])))
      if (hops[channel.to.value()] == fabric.switch_count()) {
        hops[channel.to.value()] = hops[queue[head]] + 1;
        queue.push_back(channel.to.value());
      }
  return hops;
}

std::uint32_t diameter(const Fabric& fabric) {
  std::uint32_t most = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    most = std::max(most, std::ranges::max(hops_from(fabric, s)));
  return most;
}

bool is_connected(const Fabric& fabric) {
  return std::ranges::max(hops_from(fabric, 0)) < fabric.switch_count();
}

int degree(const Fabric& fabric) {
  const std::size_t first = fabric.channels_from(SwitchId(0)).size();
  for (std::uint32_t s = 1; s < fabric.switch_count(); ++s)
    if (fabric.channels_from(SwitchId(s)).size() != first) return -1;
  return static_cast<int>(first);
}

std::string text_of(const Fabric& fabric) {
  return write_fabric_text(fabric, **find_writer("ibnetdiscover"));
}

}  // namespace weft
