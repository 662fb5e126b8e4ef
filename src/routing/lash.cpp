// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/lash.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "routing/deadlock/laned_trees.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/pair_layers.h"
#include "routing/reweight/layers.h"
#include "routing/shortest/sssp_tables.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

std::size_t pairs_of(const Fabric& fabric) {
  return std::size_t{fabric.switch_count()} * fabric.switch_count();
}

/// The tables of sssp, if they are deadlock-free on one lane.
std::optional<PairLayers> on_one_layer(const Fabric& fabric, const Turns& turns,
                                       const LashOptions& options) {
  const SsspOptions shortest{
      .threads = options.threads, .order = options.order, .previous = options.previous};
  PairLayers layered{sssp_tables(fabric, shortest), 1, {}};
  if (!is_acyclic_on_one_lane(fabric, turns, layered.lfts, options.threads)) return std::nullopt;
  layered.of_pair.assign(pairs_of(fabric), 0);
  return layered;
}

}  // namespace

LashOptions LashOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads,
          .vls_max = all.vls_max,
          .order = all.order,
          .mesh_analysis = all.parameters.of(kMeshAnalysis) != 0,
          .start_vl = all.parameters.of(kStartVl),
          .previous = pointer_to(all.previous),
          .reweight = all.parameters.of(kReweight)};
}

Result<Routes> route_lash(const Fabric& fabric, const LashOptions& options) {
  for (const Endport& endport : fabric.endports())
    if (lid_count(endport) > 1)
      return fail(Code::kUnroutable, "lash routes one LID a port, {} has LMC {}",
                  describe(fabric, endport.port), endport.lmc);
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  const unsigned start = options.start_vl;
  const unsigned layers_max = lanes - std::min(start, lanes);

  const Turns turns(fabric);
  std::optional<PairLayers> layered;
  if (!options.mesh_analysis) layered = on_one_layer(fabric, turns, options);
  if (!layered) {
    layered = make_pair_layers(fabric, turns, destinations(fabric, options.order),
                               std::max(1u, layers_max), options.threads);
    if (!layered)
      return fail(Code::kOutOfVls, "lash needs more than {} layers", LanedTrees::kLanesMax);
    reweight::reweigh_layers(fabric, options.reweight, options.threads, *layered);
    collapse_to_one_lane(fabric, turns, layered->lfts, layered->of_pair, layered->count,
                         options.threads);
  }
  if (layered->count > layers_max)
    return fail(Code::kOutOfVls, "lash needs {} layers, there are {} virtual lanes from VL {} on",
                layered->count, layers_max, start);
  Routes routes;
  routes.engine = "lash";
  routes.lfts = std::move(layered->lfts);
  routes.vls_needed = layered->count;
  routes.vls = start + layered->count;
  routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
  for (std::uint8_t& layer : layered->of_pair) layer = static_cast<std::uint8_t>(layer + start);
  if (routes.vls > 1)
    routes.path_sl = PathSl::by_switch_pair(fabric.switch_count(), std::move(layered->of_pair));
  return routes;
}

}  // namespace weft
