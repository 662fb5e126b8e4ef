// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/pair_layers.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "routing/deadlock/grid_pairs.h"
#include "routing/deadlock/laned_tables.h"
#include "routing/deadlock/layered_pairs.h"
#include "routing/shapes/mesh.h"
#include "routing/shapes/trunks.h"

namespace weft {
namespace {

// Search limits of each layer, in visits of each channel.
constexpr std::uint64_t kFewPairSearches = 64;
constexpr std::uint64_t kManyPairSearches = 1024;
// Orders around roots are tried if random orders need more layers than this number, or more layers
// than allowed.
constexpr unsigned kFewLayers = 3;
// Orders around roots are tried with at least this number of layers, if so many layers are allowed
// and random orders need more, because more layers allow a better balance.
constexpr unsigned kLeastAroundRoots = 4;

/// Adds the switches without LIDs, which exist in the part of a chain that routes one path bit.
std::vector<Destination> with_all_switches(const Fabric& fabric, std::vector<Destination> order) {
  std::vector<bool> there(fabric.switch_count(), false);
  for (const Destination& destination : order) there[destination.sw.value()] = true;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!there[s]) order.push_back({SwitchId(s), {}});
  return order;
}

class PairLayering {
 public:
  PairLayering(const Fabric& fabric, const Turns& turns, std::span<const Destination> order,
               unsigned threads)
      : fabric_(fabric),
        turns_(turns),
        threads_(threads),
        trunks_(fabric),
        order_{std::vector<Destination>(order.begin(), order.end())},
        all_switches_(with_all_switches(fabric, order_[0])) {}

  std::optional<PairLayers> run(unsigned layers) {
    if (const auto mesh = find_mesh(fabric_))
      if (auto layered = with_tables(
              layer_grid(fabric_, make_grid(fabric_, *mesh, trunks_), layers, threads_)))
        return layered;
    if (auto layered = by_load_alone()) return layered;
    auto best = by_orders(LayerOrders::kRandom, 2, LanedTrees::kLanesMax);
    if (best && best->count <= std::min(layers, kFewLayers)) return best;
    const unsigned most = best ? best->count - 1 : LanedTrees::kLanesMax;
    if (auto around =
            by_orders(LayerOrders::kAroundRoots, std::min({layers, most, kLeastAroundRoots}), most))
      best = std::move(around);
    if (best && best->count <= layers) return best;
    if (auto layered = tree_by_tree(layers)) return layered;
    return best ? std::move(best) : tree_by_tree(LanedTrees::kLanesMax);
  }

 private:
  std::optional<PairLayers> by_orders(LayerOrders kind, unsigned least, unsigned most) {
    return with_tables(layer_pairs(fabric_, turns_, trunks_, all_switches_, kind, least, most,
                                   threads_, distances_));
  }

  std::optional<PairLayers> with_tables(std::optional<LayeredPairs> pairs) const {
    if (!pairs) return std::nullopt;
    return PairLayers{tables_of_trunks(fabric_, trunks_, pairs->next, threads_), pairs->count,
                      std::move(pairs->layers)};
  }

  /// On regular fabrics balancing alone often results in paths in dimension order, which fit on one
  /// layer.
  std::optional<PairLayers> by_load_alone() const {
    for (const LanedTrees::Rules& rules : lane_plans(fabric_, 1))
      if (rules.only_regular)
        if (auto tables = grow_tables(fabric_, turns_, order_, rules, Share::kAll, threads_))
          return PairLayers{std::move(tables->lfts), 1,
                            std::vector<std::uint8_t>(
                                std::size_t{fabric_.switch_count()} * fabric_.switch_count(), 0)};
    return std::nullopt;
  }

  /// Selects each path so that the path and its reverse fit on one layer.
  std::optional<PairLayers> tree_by_tree(unsigned layers) const {
    for (const std::uint64_t searches : {kFewPairSearches, kManyPairSearches}) {
      const LanedTrees::Rules rules{.lanes = layers,
                                    .fewest_lanes = true,
                                    .search_limit = searches * fabric_.channel_count(),
                                    .both_directions = true};
      if (auto tables = grow_tables(fabric_, turns_, order_, rules, Share::kAll, threads_))
        return PairLayers{std::move(tables->lfts), std::max(1u, tables->lanes_used),
                          std::move(tables->pair_lanes)};
    }
    return std::nullopt;
  }

  const Fabric& fabric_;
  const Turns& turns_;
  const unsigned threads_;
  const Trunks trunks_;
  const std::vector<std::vector<Destination>> order_;
  const std::vector<Destination> all_switches_;
  std::optional<layering::Distances> distances_;
};

}  // namespace

Lfts tables_of_trunks(const Fabric& fabric, const Trunks& trunks,
                      std::span<const std::uint32_t> next, unsigned threads) {
  Lfts lfts(fabric.switch_count(), fabric.lid_top());
  threads = threads_worth(std::uint64_t{fabric.switch_count()} * fabric.endport_count(), threads);
  parallel_for(fabric.switch_count(), threads, [&](std::size_t s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    std::vector<std::uint32_t> taken(trunks.begin[sw.value() + 1] - trunks.begin[sw.value()], 0);
    for (const Endport& endport : fabric.endports()) {
      if (!endport.addressed()) continue;
      for (unsigned offset = 0; offset < lid_count(endport); ++offset) {
        const Lid lid = lid_at(endport, offset);
        if (endport.sw == sw) {
          lfts.set(sw, lid, endport.sw_port);
          continue;
        }
        const std::uint32_t trunk =
            next[std::size_t{endport.sw.value()} * fabric.switch_count() + s];
        if (trunk == LayeredPairs::kNoTrunk) continue;
        const auto cables = trunks.channels_of(trunk);
        const std::size_t cable =
            cables.size() == 1 ? 0 : taken[trunk - trunks.begin[sw.value()]]++ % cables.size();
        lfts.set(sw, lid, fabric.channel(ChannelId(cables[cable])).from_port);
      }
    }
  });
  return lfts;
}

std::optional<PairLayers> make_pair_layers(const Fabric& fabric, const Turns& turns,
                                           std::span<const Destination> order, unsigned layers,
                                           unsigned threads) {
  return PairLayering(fabric, turns, order, threads).run(layers);
}

}  // namespace weft
