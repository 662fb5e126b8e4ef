#include "routing/minhop.h"

#include "routing/shared/destinations.h"
#include "routing/shared/spread.h"

namespace weft {
namespace {

/// Breadth first from the destination; cables go both ways, so hops to it are hops from it.
void make_minhop_dag(const Fabric& fabric, SwitchId destination, HopDag& dag) {
  std::vector<std::uint16_t> hops(fabric.switch_count(), HopDag::kUnreached);
  std::vector<std::uint32_t> queue{destination.value()};
  hops[destination.value()] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head])))
      if (std::uint16_t& to = hops[channel.to.value()]; to == HopDag::kUnreached) {
        to = static_cast<std::uint16_t>(hops[queue[head]] + 1);
        queue.push_back(channel.to.value());
      }
  dag.rebuild(fabric, hops, queue, [](const Channel&) { return true; });
}

}  // namespace

Result<Routes> route_minhop(const Fabric& fabric, const RoutingOptions& options) {
  Routes routes;
  routes.engine = "minhop";
  const auto order = destinations(fabric, options.order);
  routes.lfts = spread(
      fabric, order, [&](SwitchId to, HopDag& dag) { make_minhop_dag(fabric, to, dag); }, options);
  return routes;
}

}  // namespace weft
