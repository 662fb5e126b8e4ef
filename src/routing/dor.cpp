// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dor.h"

#include <vector>

#include "routing/balance/spread.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

constexpr std::uint32_t kNoNextHop = 0xFFFFFFFF;

/// Searches breadth first from the destination. Of the channels of a switch to switches with fewer
/// hops, the first by `rank`, else by port number, and the channels parallel to this channel are
/// the next hops.
void make_dor_dag(const Fabric& fabric, std::span<const std::uint32_t> heads,
                  std::span<const std::uint8_t> rank, SwitchId destination, HopDag& dag) {
  std::vector<std::uint16_t> hops(fabric.switch_count(), HopDag::kUnreached);
  std::vector<std::uint32_t> queue{destination.value()};
  hops[destination.value()] = 0;
  dag.start(destination);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t sw = queue[head];
    const std::uint16_t here = hops[sw];
    const std::uint32_t begin = fabric.first_channel(SwitchId(sw)).value();
    const auto end = begin + static_cast<std::uint32_t>(fabric.channels_from(SwitchId(sw)).size());
    std::uint32_t first = kNoNextHop;
    for (std::uint32_t channel = begin; channel < end; ++channel) {
      const std::uint32_t to = heads[channel];
      if (hops[to] == HopDag::kUnreached) {
        hops[to] = static_cast<std::uint16_t>(here + 1);
        queue.push_back(to);
      } else if (hops[to] < here &&
                 (first == kNoNextHop || (!rank.empty() && rank[channel] < rank[first]))) {
        first = channel;
      }
    }
    if (first == kNoNextHop) continue;
    dag.add_switch(sw, here);
    for (std::uint32_t channel = begin; channel < end; ++channel)
      if (heads[channel] == heads[first]) dag.add_next_hop(channel, heads[channel]);
  }
  dag.finish();
}

}  // namespace

Result<Routes> route_dor(const Fabric& fabric, const DorOptions& options) {
  Routes routes;
  routes.engine = "dor";
  const auto order = destinations(fabric, options.order);
  const auto heads = channel_heads(fabric);
  routes.lfts = spread(
      fabric, order,
      [&](SwitchId to, HopDag& dag) { make_dor_dag(fabric, heads, options.port_rank, to, dag); },
      options);
  return routes;
}

}  // namespace weft
