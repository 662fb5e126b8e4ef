// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shortest/sssp_tables.h"

#include "base/check.h"
#include "routing/balance/destination_classes.h"
#include "routing/balance/spread.h"
#include "routing/balance/weighted.h"
#include "routing/deadlock/laned_tables.h"
#include "routing/reweight/tables.h"
#include "routing/shapes/shortest_dag.h"
#include "routing/trees/tree_form.h"

namespace weft {

SsspOptions SsspOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads,
          .order = all.order,
          .compute_nodes = all.compute_nodes,
          .io_nodes = all.io_nodes,
          .hop_weights = all.hop_weights,
          .previous = all.previous.get(),
          .previous_fabric = all.previous_fabric,
          .reweight = all.parameters.of(kReweight),
          .before_passes = all.routes_before_passes()};
}

std::vector<std::vector<Destination>> sssp_classes(const Fabric& fabric,
                                                   const SsspOptions& options) {
  return destination_classes(fabric, options.order, options.compute_nodes, options.io_nodes);
}

Lfts sssp_tables(const Fabric& fabric, const SsspOptions& options,
                 std::optional<Lfts>* before_passes) {
  const auto classes = sssp_classes(fabric, options);
  if (classes.size() <= 1) {
    const WeightedOptions balance{{.threads = options.threads,
                                   .order = options.order,
                                   .previous = options.previous,
                                   .previous_fabric = options.previous_fabric},
                                  options.hop_weights};
    auto closed_form = tree_form(fabric, balance);
    if (closed_form && options.reweight == 0) return std::move(*closed_form);
    const auto heads = channel_heads(fabric);
    std::vector<Destination> order;
    for (const auto& members : classes) order.insert(order.end(), members.begin(), members.end());
    const auto make_dag = [&](SwitchId to, HopDag& dag) {
      if (options.hop_weights.empty()) {
        make_shortest_dag(fabric, heads, to, dag);
      } else {
        make_weighted_dag(fabric, options.hop_weights, to, dag);
      }
    };
    Lfts lfts = closed_form ? std::move(*closed_form) : spread(fabric, order, make_dag, balance);
    if (options.reweight > 0 && before_passes != nullptr) *before_passes = lfts;
    reweight::reweigh_tables(fabric, order, make_dag, balance, options.reweight, lfts,
                             closed_form ? reweight::Begin::kPattern : reweight::Begin::kBalanced);
    return lfts;
  }
  const Turns turns(fabric);
  auto tables = grow_tables(fabric, turns, classes, {.lanes = 0}, Share::kNone, options.threads, {},
                            options.hop_weights);
  CHECK(tables.has_value());
  return std::move(tables->lfts);
}

}  // namespace weft
