#include "routing/minhop.h"

#include <vector>

#include "routing/file/lid_matrix.h"
#include "routing/shared/destinations.h"
#include "routing/shared/spread.h"
#include "routing/shared/weighted.h"

namespace weft {
namespace {

/// Breadth first from the destination; cables go both ways, so hops to it are hops from it.
void make_minhop_dag(const Fabric& fabric, std::span<const std::uint32_t> heads,
                     SwitchId destination, HopDag& dag) {
  std::vector<std::uint16_t> hops(fabric.switch_count(), HopDag::kUnreached);
  std::vector<std::uint32_t> queue{destination.value()};
  hops[destination.value()] = 0;
  dag.start(destination);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t sw = queue[head];
    const std::uint16_t here = hops[sw];
    if (here > 0) dag.add_switch(sw, here);
    const std::uint32_t begin = fabric.first_channel(SwitchId(sw)).value();
    const auto end = begin + static_cast<std::uint32_t>(fabric.channels_from(SwitchId(sw)).size());
    for (std::uint32_t channel = begin; channel < end; ++channel) {
      const std::uint32_t to = heads[channel];
      if (hops[to] == HopDag::kUnreached) {
        hops[to] = static_cast<std::uint16_t>(here + 1);
        queue.push_back(to);
      } else if (hops[to] < here) {
        dag.add_way(channel, to);
      }
    }
  }
  dag.finish();
}

}  // namespace

Result<Routes> route_minhop(const Fabric& fabric, const RoutingOptions& options) {
  Routes routes;
  routes.engine = "minhop";
  const auto order = destinations(fabric, options.order);
  const auto heads = channel_heads(fabric);
  const auto make_dag = [&](SwitchId to, HopDag& dag) {
    if (options.lid_matrix) {
      make_matrix_dag(fabric, *options.lid_matrix, to, dag);
    } else if (options.hop_weights.empty()) {
      make_minhop_dag(fabric, heads, to, dag);
    } else {
      make_weighted_dag(fabric, options.hop_weights, to, dag);
    }
  };
  routes.lfts = spread(fabric, order, make_dag, options);
  return routes;
}

}  // namespace weft
