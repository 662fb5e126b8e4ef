#include "routing/sssp.h"

#include "base/check.h"
#include "routing/balance/destination_classes.h"
#include "routing/balance/spread.h"
#include "routing/balance/weighted.h"
#include "routing/deadlock/laned_tables.h"
#include "routing/shapes/shortest_dag.h"
#include "routing/trees/tree_form.h"

namespace weft {

Lfts sssp_tables(const Fabric& fabric, const RoutingOptions& options) {
  const auto classes = destination_classes(fabric, options);
  if (classes.size() <= 1)
    if (auto lfts = tree_form(fabric, options)) return std::move(*lfts);
  if (classes.size() <= 1 || options.balance == Balance::kLocal) {
    const auto heads = channel_heads(fabric);
    std::vector<Destination> order;
    for (const auto& members : classes) order.insert(order.end(), members.begin(), members.end());
    return spread(
        fabric, order,
        [&](SwitchId to, HopDag& dag) {
          if (options.hop_weights.empty()) {
            make_shortest_dag(fabric, heads, to, dag);
          } else {
            make_weighted_dag(fabric, options.hop_weights, to, dag);
          }
        },
        options);
  }
  const Turns turns(fabric);
  auto tables = grow_tables(fabric, turns, classes, {.lanes = 0}, Share::kNone, options.threads, {},
                            options.hop_weights);
  CHECK(tables.has_value());
  return std::move(tables->lfts);
}

Result<Routes> route_sssp(const Fabric& fabric, const RoutingOptions& options) {
  Routes routes;
  routes.engine = "sssp";
  routes.lfts = sssp_tables(fabric, options);
  return routes;
}

}  // namespace weft
