// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/ftree/ftree.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/disjoint_sets.h"
#include "routing/ftree/connect_separated.h"
#include "routing/ftree/node_weights.h"
#include "routing/ftree/reverse.h"
#include "routing/reweight/tables.h"
#include "routing/shapes/levels.h"
#include "routing/shapes/ranks.h"
#include "routing/tables/destinations.h"
#include "routing/tables/remaining_switches.h"
#include "routing/trees/equivalent_switches.h"
#include "routing/trees/order.h"
#include "routing/trees/tables.h"
#include "routing/trees/tree.h"
#include "routing/up_down/up_down.h"

namespace weft {
namespace {

using namespace ftree;

constexpr std::uint32_t kNoHolder = 0xFFFFFFFF;

/// Pairs of switches with required paths: all pairs of switches with CNs in one connected part.
class RequiredPairs {
 public:
  RequiredPairs(const Fabric& fabric, const ComputeNodes& cns,
                const EquivalentSwitches& equivalents)
      : part_(equivalents.sets(), kNoHolder),
        holder_(equivalents.sets(), kNoHolder),
        equivalents_(equivalents) {
    DisjointSets parts(fabric.switch_count());
    for (const Channel& channel : fabric.channels())
      parts.join(channel.from.value(), channel.to.value());
    for (std::uint32_t s = fabric.switch_count(); s-- > 0;) {
      if (cns.compute_at[s] == 0) continue;
      holder_[equivalents.set_of(s)] = s;
      part_[equivalents.set_of(s)] = parts.find(s);
    }
  }

  /// Two switches with a required path from the first to the second that does not exist. Equivalent
  /// switches with CNs reach each other over the switches above them. If there are no switches
  /// above, each equivalent switch is a separate part.
  std::optional<std::pair<SwitchId, SwitchId>> find_unreachable(std::uint32_t first,
                                                                std::uint32_t count,
                                                                const Hops& hops) const {
    for (std::uint32_t from = 0; from < equivalents_.sets(); ++from) {
      if (holder_[from] == kNoHolder) continue;
      const auto row = hops.all(from);
      for (std::uint32_t i = 0; i < count; ++i)
        if (row[i] == Hops::kUnreachable && holder_[first + i] != kNoHolder &&
            part_[first + i] == part_[from])
          return std::pair(SwitchId(holder_[from]), SwitchId(holder_[first + i]));
    }
    return std::nullopt;
  }

 private:
  std::vector<std::uint32_t> part_;    // by set of equivalent switches
  std::vector<std::uint32_t> holder_;  // by set: its first member with CNs, or kNoHolder
  const EquivalentSwitches& equivalents_;
};

/// Whether every switch with CAs has CNs. Then up*/down* paths connect all switches with CAs, and
/// only paths of switches without CAs are missing.
bool every_leaf_has_nodes(const Fabric& fabric, const ComputeNodes& cns) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (cns.compute_at[s] == 0 && !fabric.endports_at(SwitchId(s)).empty()) return false;
  return true;
}

struct Routed {
  Routes routes;
  std::vector<std::int32_t> level;
};

/// The ranks for goes_up() by which the paths are up*/down*.
std::vector<std::uint16_t> up_down_ranks(std::span<const std::int32_t> level) {
  const std::int32_t top = std::ranges::max(level);
  std::vector<std::uint16_t> rank;
  for (const std::int32_t one : level)
    rank.push_back(one == kNoLevel ? kNoRank : static_cast<std::uint16_t>(top - one));
  return rank;
}

/// Reweights the tables over the up/down paths of all levels.
void reweigh(const Fabric& fabric, const FtreeOptions& options, std::span<const std::int32_t> level,
             Lfts& lfts) {
  if (options.reweight == 0) return;
  UpDownOptions all;
  all.threads = options.threads;
  all.node_weights = options.node_weights;
  const auto rank = up_down_ranks(level);
  reweight::reweigh_tables(fabric, weft::destinations(fabric),
                           up_down_candidates(fabric, rank, all), all, options.reweight, lfts,
                           reweight::Begin::kPattern);
}

Result<Routed> route_tree(const Fabric& fabric, const FtreeOptions& options,
                          const ComputeNodes& cns) {
  auto level = level_switches(fabric, options.roots, cns);
  if (!level) return forward(level);
  const Tree tree(fabric, *level);
  const EquivalentSwitches equivalents(tree);
  Destinations destinations = order_destinations(
      fabric, tree, cns, options.index_from_roots ? LeafOrder::kFromRoots : LeafOrder::kById);
  if (!options.node_weights.empty())
    index_by_weight(fabric, tree, options.node_weights, destinations);
  const RequiredPairs required(fabric, cns, equivalents);
  const ReverseHopPaths reverse(fabric, options.io_nodes, options.max_reverse_hops);

  std::vector<ReverseHopPaths::Entry> reversed;
  const auto check = [&](std::uint32_t first, std::uint32_t count, const Hops& hops) -> Status {
    if (const auto pair = required.find_unreachable(first, count, hops))
      return fail(Code::kUnroutable,
                  "not a fat tree: {} and {} are connected, but no path between them goes up and "
                  "then down",
                  describe(fabric.node(pair->first)), describe(fabric.node(pair->second)));
    reverse.find(tree, equivalents, destinations, first, count, hops, reversed);
    return {};
  };
  auto lfts = fill_tables(tree, destinations, equivalents, Paths::kUpDown, fabric.lid_top(),
                          options.threads, check);
  if (!lfts) return forward(lfts);
  reweigh(fabric, options, *level, *lfts);
  for (const auto& entry : reversed) lfts->set(entry.sw, entry.lid, entry.port);
  connect_separated(fabric, tree, find_separated(fabric, options.compute_nodes, cns),
                    options.threads, *lfts);
  if (every_leaf_has_nodes(fabric, cns)) connect_remaining_switches(fabric, options.threads, *lfts);

  Routes routes;
  routes.engine = "ftree";
  routes.lfts = std::move(*lfts);
  routes.ca_order = std::move(destinations.ca_order);
  return Routed{std::move(routes), std::move(*level)};
}

Result<Routed> route_some_tree(const Fabric& fabric, const FtreeOptions& options) {
  const ComputeNodes cns = find_compute_nodes(fabric, options.compute_nodes);
  auto routes = route_tree(fabric, options, cns);
  if (routes || !options.compute_nodes.empty()) return routes;
  // A spine with a few hosts would otherwise be a leaf.
  const ComputeNodes fewer = without_few(fabric, cns);
  if (fewer.compute_at == cns.compute_at) return routes;
  auto again = route_tree(fabric, options, fewer);
  return again ? std::move(again) : std::move(routes);
}

}  // namespace

FtreeOptions FtreeOptions::from(const RoutingOptions& all) {
  return {.threads = all.threads,
          .roots = all.roots,
          .compute_nodes = all.compute_nodes,
          .io_nodes = all.io_nodes,
          .max_reverse_hops = all.parameters.of(kMaxReverseHops),
          .index_from_roots = all.parameters.of(kIndexFromRoots) != 0,
          .node_weights = all.node_weights,
          .reweight = all.parameters.of(kReweight)};
}

Result<Routes> route_ftree(const Fabric& fabric, const FtreeOptions& options) {
  auto routed = route_some_tree(fabric, options);
  if (!routed) return forward(routed);
  return std::move(routed->routes);
}

Result<Routes> route_ftree_ranked(const Fabric& fabric, const FtreeOptions& options,
                                  std::vector<std::uint16_t>& rank) {
  auto routed = route_some_tree(fabric, options);
  if (!routed) return forward(routed);
  rank = up_down_ranks(routed->level);
  return std::move(routed->routes);
}

}  // namespace weft
