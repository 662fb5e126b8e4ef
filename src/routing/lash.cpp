#include "routing/lash.h"

#include <algorithm>
#include <optional>

#include "routing/shared/laned_tables.h"
#include "routing/shared/lanes.h"
#include "routing/shared/layers.h"
#include "routing/shared/mesh.h"
#include "routing/sssp.h"

namespace weft {
namespace {

// Lanes that paths are kept apart by while they are chosen, whatever the layers will be.
constexpr unsigned kGuides = 8;
// Of each layer, in visits of each channel.
constexpr std::uint64_t kFewSearches = 64;
constexpr std::uint64_t kManySearches = 1024;

SwitchTrees trees_of(const Fabric& fabric, std::span<const Destination> order, const Lfts& lfts) {
  SwitchTrees trees(fabric.switch_count());
  for (const Destination& destination : order) {
    if (destination.endports.empty()) continue;
    const Lid lid = fabric.endport(destination.endports.front()).lid;
    const auto row = trees.toward(destination.sw.value());
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (const PortNum port = lfts.port(SwitchId(s), lid);
          port != kNoRoute && SwitchId(s) != destination.sw)
        row[s] = fabric.channel_at(SwitchId(s), port).value();
  }
  return trees;
}

class Lash {
 public:
  Lash(const Fabric& fabric, const Turns& turns, const RoutingOptions& options,
       std::span<const std::uint8_t> ranks)
      : fabric_(fabric),
        turns_(turns),
        threads_(options.threads),
        ranks_(ranks),
        order_{destinations(fabric, options.order)} {}

  /// Nothing where that takes more than `layers`.
  std::optional<LanedTables> run(unsigned layers) const {
    for (const LanedTrees::Rules& rules : lane_plans(fabric_, kGuides))
      if (rules.only_regular)
        if (auto tables = paths_then_layers(rules, layers)) return tables;
    return together(layers);
  }

 private:
  /// Paths first, then layers for the pairs, longest first: best on regular fabrics, where paths
  /// come out in dimension order.
  std::optional<LanedTables> paths_then_layers(const LanedTrees::Rules& rules,
                                               unsigned layers) const {
    auto tables = grow_tables(fabric_, turns_, order_, rules, Share::kAll, threads_, ranks_);
    if (!tables) return std::nullopt;
    auto laid = lay_pairs(fabric_, turns_, trees_of(fabric_, order_[0], tables->lfts), layers);
    if (!laid) return std::nullopt;
    tables->lanes_used = laid->count;
    tables->pair_lanes = std::move(laid->of_pair);
    return tables;
  }

  /// Each path is chosen so that it fits on the layer of the path back.
  std::optional<LanedTables> together(unsigned layers) const {
    for (const std::uint64_t searches : {kFewSearches, kManySearches}) {
      const LanedTrees::Rules rules{.lanes = layers,
                                    .fewest_lanes = true,
                                    .search_limit = searches * fabric_.channel_count(),
                                    .both_ways = true};
      if (auto tables = grow_tables(fabric_, turns_, order_, rules, Share::kAll, threads_, ranks_))
        return tables;
    }
    return std::nullopt;
  }

  const Fabric& fabric_;
  const Turns& turns_;
  const unsigned threads_;
  const std::span<const std::uint8_t> ranks_;
  const std::vector<std::vector<Destination>> order_;
};

}  // namespace

Result<Routes> route_lash(const Fabric& fabric, const RoutingOptions& options) {
  for (const Endport& endport : fabric.endports())
    if (lid_count(endport) > 1)
      return fail(Code::kUnroutable, "lash routes one LID a port, {} has LMC {}",
                  describe(fabric, endport.port), endport.lmc);
  const unsigned lanes = lanes_available(fabric, options.vls_max);
  const unsigned start = options.lash_start_vl;
  const unsigned layers_max = lanes - std::min(start, lanes);

  const Turns turns(fabric);
  const auto mesh = options.do_mesh_analysis ? find_mesh(fabric) : std::nullopt;
  LanedTables tables;
  if (!mesh) tables.lfts = sssp_tables(fabric, options);
  if (!mesh && turns_of(fabric, turns, tables.lfts, options.threads).acyclic()) {
    tables.lanes_used = 1;
    tables.pair_lanes.assign(std::size_t{fabric.switch_count()} * fabric.switch_count(), 0);
  } else {
    std::span<const std::uint8_t> ranks;
    if (mesh) ranks = mesh->dimension;
    const Lash lash(fabric, turns, options, ranks);
    auto found = lash.run(std::max(1u, layers_max));
    if (!found) found = lash.run(LanedTrees::kLanesMax);
    if (!found)
      return fail(Code::kOutOfVls, "lash needs more than {} layers", LanedTrees::kLanesMax);
    tables = std::move(*found);
  }
  const unsigned layers = std::max(1u, tables.lanes_used);
  if (layers > layers_max)
    return fail(Code::kOutOfVls, "lash needs {} layers, there are {} virtual lanes from VL {} on",
                layers, layers_max, start);
  Routes routes;
  routes.engine = "lash";
  routes.lfts = std::move(tables.lfts);
  routes.vls_needed = layers;
  routes.vls = start + layers;
  routes.sl2vl = Sl2Vl(modulo_map(routes.vls));
  for (std::uint8_t& layer : tables.pair_lanes) layer = static_cast<std::uint8_t>(layer + start);
  if (routes.vls > 1)
    routes.path_sl = PathSl::by_switch_pair(fabric.switch_count(), std::move(tables.pair_lanes));
  return routes;
}

}  // namespace weft
