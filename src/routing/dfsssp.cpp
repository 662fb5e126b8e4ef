#include "routing/dfsssp.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "routing/shared/destination_classes.h"
#include "routing/shared/laned_tables.h"
#include "routing/shared/lanes.h"
#include "routing/shared/ordered_lanes.h"
#include "routing/shared/ranks.h"
#include "routing/sssp.h"

namespace weft {
namespace {

// The tables of sssp are kept, as far as can be, where so many lanes do.
constexpr unsigned kFewLanes = 3;
constexpr unsigned kFewLanesOnTrees = 4;
// Pairs that no order fits: on trees their paths are much alike, elsewhere few of them close
// cycles.
constexpr double kUnfittedOnTrees = 0.1;
constexpr double kUnfitted = 0.02;

/// Are there switches that hosts are at some distance from?
bool has_levels(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  return std::ranges::find(hosts, 0u) != hosts.end();
}

Routes with_lanes(const Fabric& fabric, const Turns& turns, LanedTables tables, unsigned available,
                  unsigned threads) {
  use_one_lane_if_it_does(fabric, turns, tables.lfts, tables.lanes, tables.lanes_used, threads);
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

}  // namespace

Result<Routes> route_dfsssp(const Fabric& fabric, const RoutingOptions& options) {
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  const Turns turns(fabric);
  LanedTables plain;
  plain.lfts = sssp_tables(fabric, options);
  plain.lanes_used = 1;
  if (one_lane_does(fabric, turns, plain.lfts, options.threads)) {
    plain.lanes.assign(fabric.switch_count() * (std::size_t{fabric.lid_top().value()} + 1), 0);
    return with_lanes(fabric, turns, std::move(plain), lanes, options.threads);
  }
  const auto classes = destination_classes(fabric, options);
  // Classes ask for ways apart even between ports behind one switch; otherwise trees of whole
  // switches are as even, and agree with each other more.
  std::vector<Share> shares;
  if (classes.size() > 1) shares.push_back(Share::kNone);
  shares.push_back(Share::kSwitchTrees);
  const auto grow = [&](bool regular) -> std::optional<LanedTables> {
    for (const Share share : shares)
      for (const LanedTrees::Rules& rules : lane_plans(fabric, lanes))
        if (rules.only_regular == regular)
          if (auto tables = grow_tables(fabric, turns, classes, rules, share, options.threads, {},
                                        options.hop_weights))
            return tables;
    return std::nullopt;
  };
  const bool levels = has_levels(fabric);
  const auto keep = [&]() -> std::optional<LanedTables> {
    auto ordered = order_lanes(fabric, turns, plain.lfts,
                               std::min(lanes, levels ? kFewLanesOnTrees : kFewLanes),
                               levels ? kUnfittedOnTrees : kUnfitted, options.threads);
    if (!ordered) return std::nullopt;
    return LanedTables{std::move(ordered->lfts), std::move(ordered->lanes), ordered->count, {}};
  };
  // Trees have levels, which tell up from down; others may have dimensions, which need fewer lanes.
  auto tables = levels ? keep() : grow(true);
  if (!tables) tables = levels ? grow(true) : keep();
  if (!tables) tables = grow(false);
  if (tables) return with_lanes(fabric, turns, std::move(*tables), lanes, options.threads);
  auto wanted =
      grow_tables(fabric, turns, classes, {.lanes = LanedTrees::kLanesMax, .fewest_lanes = true},
                  Share::kSwitchTrees, options.threads, {}, options.hop_weights);
  if (!wanted)
    return fail(Code::kOutOfVls, "dfsssp needs more than {} virtual lanes, there are {}",
                LanedTrees::kLanesMax, lanes);
  if (wanted->lanes_used > lanes)
    return fail(Code::kOutOfVls, "dfsssp needs {} virtual lanes, there are {}", wanted->lanes_used,
                lanes);
  return with_lanes(fabric, turns, std::move(*wanted), lanes, options.threads);
}

}  // namespace weft
