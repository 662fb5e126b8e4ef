// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/minhop.h"

#include <optional>
#include <utility>

#include "routing/balance/weighted.h"
#include "routing/reweight/tables.h"
#include "routing/shapes/shortest_dag.h"
#include "routing/tables/destinations.h"
#include "routing/tables/lid_matrix.h"
#include "routing/trees/tree_form.h"

namespace weft {

MinhopOptions MinhopOptions::from(const RoutingOptions& all) {
  return {WeightedOptions::from(all), pointer_to(all.lid_matrix), all.parameters.of(kReweight),
          all.routes_before_passes()};
}

DagMaker minhop_dags(const Fabric& fabric, const MinhopOptions& options) {
  return [&fabric, options, heads = channel_heads(fabric)](SwitchId to, HopDag& dag) {
    if (options.lid_matrix) {
      make_matrix_dag(fabric, *options.lid_matrix, to, dag);
    } else if (options.hop_weights.empty()) {
      make_shortest_dag(fabric, heads, to, dag);
    } else {
      make_weighted_dag(fabric, options.hop_weights, to, dag);
    }
  };
}

Result<Routes> route_minhop(const Fabric& fabric, const MinhopOptions& options) {
  Routes routes;
  routes.engine = "minhop";
  std::optional<Lfts> closed_form;
  if (!options.lid_matrix) closed_form = tree_form(fabric, options);
  if (closed_form && options.reweight == 0) {
    routes.lfts = std::move(*closed_form);
    return routes;
  }
  const auto order = destinations(fabric, options.order);
  const auto make_dag = minhop_dags(fabric, options);
  routes.lfts = closed_form ? std::move(*closed_form) : spread(fabric, order, make_dag, options);
  reweight::store_before_passes(routes, options.reweight, options.before_passes);
  reweight::reweigh_tables(fabric, order, make_dag, options, options.reweight, routes.lfts,
                           closed_form ? reweight::Begin::kPattern : reweight::Begin::kBalanced);
  return routes;
}

}  // namespace weft
