// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/lash.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "routing/deadlock/laned_trees.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/ordered_lanes.h"
#include "routing/deadlock/pair_layers.h"
#include "routing/reweight/layers.h"
#include "routing/reweight/tables.h"
#include "routing/shortest/sssp_tables.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

std::size_t count_pairs(const Fabric& fabric) {
  return std::size_t{fabric.switch_count()} * fabric.switch_count();
}

/// The tables of sssp if they are deadlock-free on one lane. On a tree with missing cables: the
/// tables of sssp with a few paths rerouted, if a few lanes are then enough. Otherwise nullopt.
std::optional<PairLayers> layers_of_sssp(const Fabric& fabric, const Turns& turns,
                                         unsigned layers_max, const LashOptions& options) {
  const SsspOptions shortest{
      .threads = options.threads, .order = options.order, .previous = options.previous};
  PairLayers layered{sssp_tables(fabric, shortest), 1, {}};
  const auto with_passes = [&] {
    SsspOptions passes = shortest;
    passes.reweight = options.reweight;
    return sssp_tables(fabric, passes);
  };
  if (is_acyclic_on_one_lane(fabric, turns, layered.lfts, options.threads)) {
    layered.of_pair.assign(count_pairs(fabric), 0);
    if (options.reweight == 0) return layered;
    if (Lfts lfts = with_passes(); is_acyclic_on_one_lane(fabric, turns, lfts, options.threads))
      layered.lfts = std::move(lfts);
    return layered;
  }
  if (!has_levels(fabric)) return std::nullopt;
  const auto limits = order_limits(true, true);
  const auto order = [&](const Lfts& lfts, unsigned lanes) {
    return order_pair_lanes(fabric, turns, lfts, std::min(lanes, limits.lanes_max),
                            limits.unfitted_max, options.threads);
  };
  auto ordered = order(layered.lfts, layers_max);
  if (!ordered) return std::nullopt;
  if (options.reweight > 0)
    if (auto reweighted = order(with_passes(), ordered->count);
        reweighted && reweight::measure_tables(fabric, reweighted->lfts, options.threads) <
                          reweight::measure_tables(fabric, ordered->lfts, options.threads))
      ordered = std::move(reweighted);
  layered = {std::move(ordered->lfts), ordered->count, std::move(ordered->lanes)};
  collapse_to_one_lane(fabric, turns, layered.lfts, layered.of_pair, layered.count,
                       options.threads);
  return layered;
}

/// Routes on the layers, the first of which is on VL `start`.
Routes with_layers(const Fabric& fabric, PairLayers layered, unsigned start) {
  Routes routes;
  routes.engine = "lash";
  routes.lfts = std::move(layered.lfts);
  routes.vls_needed = layered.count;
  routes.vls = start + layered.count;
  routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
  for (std::uint8_t& layer : layered.of_pair) layer = static_cast<std::uint8_t>(layer + start);
  if (routes.vls > 1)
    routes.path_sl = PathSl::by_switch_pair(fabric.switch_count(), std::move(layered.of_pair));
  return routes;
}

/// `stores_before`: whether to store the routes without passes.
std::optional<PairLayers> by_pair(const Fabric& fabric, const Turns& turns, unsigned layers_max,
                                  bool stores_before, const LashOptions& options) {
  auto layered = make_pair_layers(fabric, turns, destinations(fabric, options.order), layers_max,
                                  options.threads);
  if (!layered) return std::nullopt;
  const auto collapse = [&](PairLayers& layers) {
    collapse_to_one_lane(fabric, turns, layers.lfts, layers.of_pair, layers.count, options.threads);
  };
  if (stores_before) {
    PairLayers before = *layered;
    collapse(before);
    *options.before_passes = with_layers(fabric, std::move(before), options.start_vl);
  }
  reweight::reweigh_layers(fabric, options.reweight, options.threads, *layered);
  collapse(*layered);
  return layered;
}

}  // namespace

LashOptions LashOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads,
          .vls_max = all.vls_max,
          .order = all.order,
          .mesh_analysis = all.parameters.of(kMeshAnalysis) != 0,
          .start_vl = all.parameters.of(kStartVl),
          .previous = all.previous.get(),
          .reweight = all.parameters.of(kReweight),
          .before_passes = all.routes_before_passes()};
}

Result<Routes> route_lash(const Fabric& fabric, const LashOptions& options) {
  for (const Endport& endport : fabric.endports())
    if (lid_count(endport) > 1)
      return fail(Code::kUnroutable, "lash routes one LID per port: {} has LMC {}, expected 0",
                  describe(fabric, endport.port), endport.lmc);
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  const unsigned start = options.start_vl;
  const unsigned layers_max = lanes - std::min(start, lanes);

  const Turns turns(fabric);
  std::optional<PairLayers> layered;
  if (!options.mesh_analysis) layered = layers_of_sssp(fabric, turns, layers_max, options);
  // If the tables of sssp need two layers, other paths may need only one.
  if (!layered || layered->count == 2) {
    const bool stores_before = !layered && options.before_passes != nullptr;
    auto by_pairs = by_pair(fabric, turns, std::max(1u, layers_max), stores_before, options);
    if (!layered || (by_pairs && by_pairs->count == 1)) layered = std::move(by_pairs);
  }
  if (!layered)
    return fail(Code::kOutOfVls, "lash needs more than {} virtual lanes, found {}",
                LanedTrees::kLanesMax, layers_max);
  if (layered->count > layers_max)
    return fail(Code::kOutOfVls, "lash needs {} virtual lanes from VL {} on, found {}",
                layered->count, start, layers_max);
  return with_layers(fabric, std::move(*layered), start);
}

}  // namespace weft
