// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/shortest_dag.h"

#include <algorithm>
#include <vector>

namespace weft {

namespace {

/// The switches by distance from the destination, which comes first, and the hop count of each
/// switch.
struct Distances {
  std::vector<std::uint32_t> nearest_first;
  std::vector<std::uint16_t> hops;
};

Distances distances(const Fabric& fabric, std::span<const std::uint32_t> heads,
                    SwitchId destination) {
  const std::uint32_t switches = fabric.switch_count();
  Distances result;
  result.hops.assign(switches, HopDag::kUnreached);
  result.nearest_first.resize(switches + std::size_t{1});
  // Local copies, so that the compiler need not reload the pointers after each store.
  std::uint32_t* const queue = result.nearest_first.data();
  std::uint16_t* const hops = result.hops.data();
  queue[0] = destination.value();
  hops[destination.value()] = 0;
  std::size_t tail = 1;  // the last element receives writes that are not counted
  for (std::size_t head = 0; head < tail && tail < switches; ++head) {
    const std::uint32_t begin = fabric.first_channel(SwitchId(queue[head])).value();
    const std::uint32_t end = fabric.first_channel(SwitchId(queue[head] + 1)).value();
    const auto next = static_cast<std::uint16_t>(hops[queue[head]] + 1);
    for (std::uint32_t channel = begin; channel < end; ++channel) {
      // The loop has no branch, because the processor could not predict it.
      const std::uint32_t to = heads[channel];
      const std::uint16_t there = hops[to];
      queue[tail] = to;
      tail += there == HopDag::kUnreached ? 1 : 0;
      hops[to] = there < next ? there : next;
    }
  }
  result.nearest_first.resize(tail);
  return result;
}

}  // namespace

void make_shortest_dag(const Fabric& fabric, std::span<const std::uint32_t> heads,
                       SwitchId destination, HopDag& dag, std::span<const std::uint8_t> ranks) {
  const Distances near = distances(fabric, heads, destination);
  const std::uint16_t* const hops = near.hops.data();
  dag.start(destination);
  for (const std::uint32_t sw : std::span(near.nearest_first).subspan(1)) {
    const std::uint16_t here = hops[sw];
    const std::uint32_t begin = fabric.first_channel(SwitchId(sw)).value();
    const std::uint32_t end = fabric.first_channel(SwitchId(sw + 1)).value();
    dag.add_switch(sw, here);
    if (ranks.empty()) {
      dag.add_next_hops(begin, end, heads,
                        [&](std::uint32_t, std::uint32_t to) { return hops[to] < here; });
      continue;
    }
    std::uint8_t least = 0xFF;
    for (std::uint32_t channel = begin; channel < end; ++channel)
      if (hops[heads[channel]] < here) least = std::min(least, ranks[channel]);
    dag.add_next_hops(begin, end, heads, [&](std::uint32_t channel, std::uint32_t to) {
      return (hops[to] < here) & (ranks[channel] == least);
    });
  }
  dag.finish();
}

}  // namespace weft
