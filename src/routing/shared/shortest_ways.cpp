#include "routing/shared/shortest_ways.h"

#include <algorithm>
#include <vector>

namespace weft {

void make_shortest_ways(const Fabric& fabric, std::span<const std::uint32_t> heads,
                        SwitchId destination, HopDag& dag, std::span<const std::uint8_t> ranks) {
  std::vector<std::uint16_t> hops(fabric.switch_count(), HopDag::kUnreached);
  std::vector<std::uint32_t> queue(fabric.switch_count() + std::size_t{1});
  std::size_t tail = 1;  // the place behind all switches takes what is written and not counted
  queue[0] = destination.value();
  hops[destination.value()] = 0;
  dag.start(destination);
  for (std::size_t head = 0; head < tail; ++head) {
    const std::uint32_t sw = queue[head];
    const std::uint16_t here = hops[sw];
    if (here > 0) dag.add_switch(sw, here);
    const std::uint32_t begin = fabric.first_channel(SwitchId(sw)).value();
    const auto end = begin + static_cast<std::uint32_t>(fabric.channels_from(SwitchId(sw)).size());
    std::uint8_t least = 0xFF;
    for (std::uint32_t channel = begin; channel < end && !ranks.empty(); ++channel)
      if (hops[heads[channel]] < here) least = std::min(least, ranks[channel]);
    for (std::uint32_t channel = begin; channel < end; ++channel) {
      const std::uint32_t to = heads[channel];
      // No branches: which of the three a channel is cannot be foretold.
      const std::uint16_t there = hops[to];
      const bool reached = there != HopDag::kUnreached;
      queue[tail] = to;
      tail += reached ? 0 : 1;
      hops[to] = reached ? there : static_cast<std::uint16_t>(here + 1);
      dag.add_way_if((there < here) & (ranks.empty() || ranks[channel] == least), channel, to);
    }
  }
  dag.finish();
}

}  // namespace weft
