#include "routing/lash.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "routing/shared/grid_pairs.h"
#include "routing/shared/laned_tables.h"
#include "routing/shared/lanes.h"
#include "routing/shared/layered_pairs.h"
#include "routing/shared/mesh.h"
#include "routing/shared/trunks.h"
#include "routing/sssp.h"

namespace weft {
namespace {

// Of each layer, in visits of each channel.
constexpr std::uint64_t kFewSearches = 64;
constexpr std::uint64_t kManySearches = 1024;

/// Tables, and for each pair of switches its layer.
struct Layered {
  Lfts lfts;
  unsigned count = 1;
  std::vector<std::uint8_t> of_pair;
};

std::size_t pairs_of(const Fabric& fabric) {
  return std::size_t{fabric.switch_count()} * fabric.switch_count();
}

/// The tables of sssp, if nothing can wait in a circle there.
std::optional<Layered> on_one_layer(const Fabric& fabric, const Turns& turns,
                                    const RoutingOptions& options) {
  Layered layered{sssp_tables(fabric, options), 1, {}};
  if (!one_lane_does(fabric, turns, layered.lfts, options.threads)) return std::nullopt;
  layered.of_pair.assign(pairs_of(fabric), 0);
  return layered;
}

/// With the switches that have no LIDs behind them, such as parts of a path bit have.
std::vector<Destination> with_all_switches(const Fabric& fabric, std::vector<Destination> order) {
  std::vector<bool> there(fabric.switch_count(), false);
  for (const Destination& destination : order) there[destination.sw.value()] = true;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!there[s]) order.push_back({SwitchId(s), {}});
  return order;
}

/// Writes paths of trunks into tables. Where trunks are of several cables, LIDs take these by
/// turns.
Lfts tables_of(const Fabric& fabric, const Trunks& trunks, std::span<const std::uint32_t> next,
               unsigned threads) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  threads = threads_worth(std::uint64_t{fabric.switch_count()} * fabric.endport_count(), threads);
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    std::vector<std::uint32_t> taken(trunks.first(sw.value() + 1) - trunks.first(sw.value()), 0);
    for (const Endport& endport : fabric.endports()) {
      if (!endport.addressed()) continue;
      if (endport.sw == sw) {
        lfts.set(sw, endport.lid, endport.sw_port);
        continue;
      }
      const std::uint32_t trunk = next[std::size_t{endport.sw.value()} * fabric.switch_count() + s];
      if (trunk == LayeredPairs::kNoWay) continue;
      const auto cables = trunks.channels(trunk);
      const std::size_t cable =
          cables.size() == 1 ? 0 : taken[trunk - trunks.first(sw.value())]++ % cables.size();
      lfts.set(sw, endport.lid, fabric.channel(ChannelId(cables[cable])).from_port);
    }
  });
  return lfts;
}

class Lash {
 public:
  Lash(const Fabric& fabric, const Turns& turns, const RoutingOptions& options)
      : fabric_(fabric),
        turns_(turns),
        options_(options),
        trunks_(fabric),
        order_{destinations(fabric, options.order)},
        mesh_(find_mesh(fabric)) {}

  /// On no more than `layers` if that goes, else on so many as are needed; nothing beyond
  /// kLanesMax.
  std::optional<Layered> run(unsigned layers) const {
    if (mesh_)
      if (auto layered = written(
              layer_grid(fabric_, make_grid(fabric_, *mesh_, trunks_), layers, options_.threads)))
        return layered;
    if (auto layered = by_load_alone()) return layered;
    auto near_first =
        written(layer_pairs(fabric_, turns_, trunks_, with_all_switches(fabric_, order_[0]),
                            LanedTrees::kLanesMax, options_.threads));
    if (near_first && near_first->count <= layers) return near_first;
    if (auto layered = tree_by_tree(layers)) return layered;
    return near_first ? std::move(near_first) : tree_by_tree(LanedTrees::kLanesMax);
  }

 private:
  std::optional<Layered> written(std::optional<LayeredPairs> pairs) const {
    if (!pairs) return std::nullopt;
    return Layered{tables_of(fabric_, trunks_, pairs->next, options_.threads), pairs->count,
                   std::move(pairs->layers)};
  }

  /// Regular fabrics come out in some order of dimensions, which often fits on one layer.
  std::optional<Layered> by_load_alone() const {
    for (const LanedTrees::Rules& rules : lane_plans(fabric_, 1))
      if (rules.only_regular)
        if (auto tables =
                grow_tables(fabric_, turns_, order_, rules, Share::kAll, options_.threads))
          return Layered{std::move(tables->lfts), 1,
                         std::vector<std::uint8_t>(pairs_of(fabric_), 0)};
    return std::nullopt;
  }

  /// Each path chosen so that it fits on the layer of the path back.
  std::optional<Layered> tree_by_tree(unsigned layers) const {
    for (const std::uint64_t searches : {kFewSearches, kManySearches}) {
      const LanedTrees::Rules rules{.lanes = layers,
                                    .fewest_lanes = true,
                                    .search_limit = searches * fabric_.channel_count(),
                                    .both_ways = true};
      if (auto tables = grow_tables(fabric_, turns_, order_, rules, Share::kAll, options_.threads))
        return Layered{std::move(tables->lfts), std::max(1u, tables->lanes_used),
                       std::move(tables->pair_lanes)};
    }
    return std::nullopt;
  }

  const Fabric& fabric_;
  const Turns& turns_;
  const RoutingOptions& options_;
  const Trunks trunks_;
  const std::vector<std::vector<Destination>> order_;
  const std::optional<Mesh> mesh_;
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
  std::optional<Layered> layered;
  if (!options.do_mesh_analysis) layered = on_one_layer(fabric, turns, options);
  if (!layered) {
    layered = Lash(fabric, turns, options).run(std::max(1u, layers_max));
    if (!layered)
      return fail(Code::kOutOfVls, "lash needs more than {} layers", LanedTrees::kLanesMax);
    use_one_lane_if_it_does(fabric, turns, layered->lfts, layered->of_pair, layered->count,
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
