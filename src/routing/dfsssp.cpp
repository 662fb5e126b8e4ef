// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dfsssp.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "routing/deadlock/laned_tables.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/ordered_lanes.h"
#include "routing/deadlock/pair_layers.h"
#include "routing/reweight/layers.h"
#include "routing/reweight/tables.h"

namespace weft {
namespace {

/// Whether the LIDs behind each switch are equivalent, so that all of them may have paths over the
/// same switches.
bool allows_one_tree_per_switch(const Fabric& fabric,
                                const std::vector<std::vector<Destination>>& classes,
                                const DfssspOptions& options) {
  return classes.size() == 1 && options.hop_weights.empty() &&
         std::ranges::all_of(fabric.endports(),
                             [](const Endport& endport) { return lid_count(endport) <= 1; });
}

/// Routes with one lane for both directions between two switches: a reply has the SL of its
/// request.
Routes with_pair_lanes(const Fabric& fabric, const Turns& turns, LanedTables tables,
                       unsigned available, unsigned threads) {
  collapse_to_one_lane(fabric, turns, tables.lfts, tables.pair_lanes, tables.lanes_used, threads);
  Routes routes;
  routes.engine = "dfsssp";
  routes.lfts = std::move(tables.lfts);
  routes.vls_needed = std::max(1u, tables.lanes_used);
  routes.vls = spread_pairs_over_lanes(fabric.switch_count(), tables.pair_lanes, routes.vls_needed,
                                       available, threads);
  routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
  if (routes.vls > 1)
    routes.path_sl = PathSl::by_switch_pair(fabric.switch_count(), std::move(tables.pair_lanes));
  return routes;
}

Routes with_lanes(const Fabric& fabric, const Turns& turns, LanedTables tables, unsigned available,
                  unsigned threads) {
  if (tables.lanes.empty())
    return with_pair_lanes(fabric, turns, std::move(tables), available, threads);
  collapse_to_one_lane(fabric, turns, tables.lfts, tables.lanes, tables.lanes_used, threads);
  Routes routes;
  routes.engine = "dfsssp";
  routes.lfts = std::move(tables.lfts);
  routes.vls_needed = std::max(1u, tables.lanes_used);
  routes.vls = spread_over_lanes(fabric, tables.lanes, routes.vls_needed, available, threads);
  routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
  if (routes.vls > 1)
    routes.path_sl =
        PathSl::by_switch_and_lid(fabric.switch_count(), fabric.lid_top(), std::move(tables.lanes));
  return routes;
}

/// Stores the routes that follow from the tables without passes.
void store_before_passes(const Fabric& fabric, const Turns& turns, const DfssspOptions& options,
                         const LanedTables& tables) {
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  if (options.before_passes != nullptr && tables.lanes_used <= lanes)
    *options.before_passes = with_lanes(fabric, turns, tables, lanes, options.threads);
}

/// Replaces the tables of sssp by reweighted tables if the reweighted tables need only one lane,
/// too.
void reweigh_on_one_lane(const Fabric& fabric, const Turns& turns, const DfssspOptions& options,
                         Lfts& lfts) {
  if (options.reweight == 0) return;
  Lfts reweighted = sssp_tables(fabric, options);
  if (is_acyclic_on_one_lane(fabric, turns, reweighted, options.threads))
    lfts = std::move(reweighted);
}

/// Assigns all paths to lane 0.
void use_first_lane(const Fabric& fabric, bool ignore_replies, LanedTables& tables) {
  const std::size_t switches = fabric.switch_count();
  if (ignore_replies) {
    tables.lanes.assign(switches * (std::size_t{fabric.lid_top().value()} + 1), 0);
  } else {
    tables.pair_lanes.assign(switches * switches, 0);
  }
}

/// The tables of sssp with a few paths rerouted, so that a few lanes are enough. `levels` is the
/// result of has_levels().
std::optional<LanedTables> on_few_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        bool levels, unsigned lanes, const DfssspOptions& options) {
  const auto limits = order_limits(levels, !options.ignore_replies);
  const auto order = options.ignore_replies ? &order_lanes : &order_pair_lanes;
  auto ordered = order(fabric, turns, lfts, std::min(lanes, limits.lanes_max), limits.unfitted_max,
                       options.threads);
  if (!ordered) return std::nullopt;
  LanedTables tables{std::move(ordered->lfts), {}, ordered->count, {}};
  (options.ignore_replies ? tables.lanes : tables.pair_lanes) = std::move(ordered->lanes);
  return tables;
}

/// The tables of on_few_lanes(), reweighted if the reweighted tables need no more lanes and have a
/// smaller Measure.
std::optional<LanedTables> keep_sssp(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                     bool levels, unsigned lanes, const DfssspOptions& options) {
  auto kept = on_few_lanes(fabric, turns, lfts, levels, lanes, options);
  if (!kept || options.reweight == 0) return kept;
  store_before_passes(fabric, turns, options, *kept);
  auto reweighted =
      on_few_lanes(fabric, turns, sssp_tables(fabric, options), levels, kept->lanes_used, options);
  const bool better =
      reweighted && reweight::measure_tables(fabric, reweighted->lfts, options.threads) <
                        reweight::measure_tables(fabric, kept->lfts, options.threads);
  return better ? std::move(reweighted) : std::move(kept);
}

/// Layers for requests and replies together: all LIDs behind a switch use the same switches.
std::optional<LanedTables> by_layers(const Fabric& fabric, const Turns& turns, unsigned lanes,
                                     const DfssspOptions& options) {
  auto layered =
      make_pair_layers(fabric, turns, destinations(fabric, options.order), lanes, options.threads);
  if (!layered) return std::nullopt;
  LanedTables tables{layered->lfts, {}, layered->count, layered->of_pair};
  store_before_passes(fabric, turns, options, tables);
  const auto passes = reweight::reweigh_layers(fabric, options.reweight, options.threads, *layered);
  if (passes.after < passes.before) {
    tables.lfts = std::move(layered->lfts);
    tables.pair_lanes = std::move(layered->of_pair);
  }
  return tables;
}

}  // namespace

Result<Routes> route_dfsssp(const Fabric& fabric, const DfssspOptions& options) {
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  const Turns turns(fabric);
  LanedTables plain;
  DfssspOptions once = options;
  once.reweight = 0;
  plain.lfts = sssp_tables(fabric, once);
  plain.lanes_used = 1;
  if (is_acyclic_on_one_lane(fabric, turns, plain.lfts, options.threads)) {
    use_first_lane(fabric, options.ignore_replies, plain);
    store_before_passes(fabric, turns, options, plain);
    reweigh_on_one_lane(fabric, turns, options, plain.lfts);
    return with_lanes(fabric, turns, std::move(plain), lanes, options.threads);
  }
  const auto classes = sssp_classes(fabric, options);
  // With several classes of destinations, ports behind one switch need different paths. Otherwise
  // one tree for each switch gives the same balance and needs fewer lanes.
  std::vector<Share> shares;
  if (classes.size() > 1) shares.push_back(Share::kNone);
  shares.push_back(Share::kSwitchTrees);
  const auto grow = [&](bool regular) -> std::optional<LanedTables> {
    for (const Share share : shares)
      for (LanedTrees::Rules rules : lane_plans(fabric, lanes)) {
        rules.both_directions = !options.ignore_replies;
        if (rules.only_regular == regular)
          if (auto tables = grow_tables(fabric, turns, classes, rules, share, options.threads, {},
                                        options.hop_weights))
            return tables;
      }
    return std::nullopt;
  };
  const bool levels = has_levels(fabric);
  const auto keep = [&] { return keep_sssp(fabric, turns, plain.lfts, levels, lanes, options); };
  std::optional<LanedTables> tables;
  // Trees have levels, which define up and down; other fabrics may have dimensions, and dimension
  // order needs fewer lanes.
  if (levels) tables = keep();
  if (!tables &&
      (options.ignore_replies || !allows_one_tree_per_switch(fabric, classes, options))) {
    tables = grow(true);
    if (!tables && !levels) tables = keep();
    if (!tables) tables = grow(false);
  }
  if (!tables && !options.ignore_replies && options.hop_weights.empty())
    tables = by_layers(fabric, turns, lanes, options);
  if (!tables)
    tables = grow_tables(fabric, turns, classes,
                         {.lanes = LanedTrees::kLanesMax,
                          .fewest_lanes = true,
                          .both_directions = !options.ignore_replies},
                         Share::kSwitchTrees, options.threads, {}, options.hop_weights);
  if (!tables)
    return fail(Code::kOutOfVls, "dfsssp needs more than {} virtual lanes, found {}",
                LanedTrees::kLanesMax, lanes);
  if (tables->lanes_used > lanes)
    return fail(Code::kOutOfVls, "dfsssp needs {} virtual lanes, found {}", tables->lanes_used,
                lanes);
  Routes routes = with_lanes(fabric, turns, std::move(*tables), lanes, options.threads);
  if (options.before_passes != nullptr && !*options.before_passes) *options.before_passes = routes;
  return routes;
}

}  // namespace weft
