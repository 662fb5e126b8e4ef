#include "routing/ftree/ftree.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/disjoint_sets.h"
#include "routing/ftree/bridge.h"
#include "routing/ftree/levels.h"
#include "routing/ftree/node_weights.h"
#include "routing/ftree/order.h"
#include "routing/ftree/reverse.h"
#include "routing/ftree/tables.h"
#include "routing/ftree/tree.h"
#include "routing/ftree/twins.h"
#include "routing/shared/ranks.h"

namespace weft {
namespace {

using namespace ftree;

constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// Switches that must reach each other: those of one connected part that hold CNs.
class Duties {
 public:
  Duties(const Fabric& fabric, const Census& census, const Twins& twins)
      : part_(twins.sets(), kNone), holder_(twins.sets(), kNone), twins_(twins) {
    DisjointSets parts(fabric.switch_count());
    for (const Channel& channel : fabric.channels())
      parts.join(channel.from.value(), channel.to.value());
    for (std::uint32_t s = fabric.switch_count(); s-- > 0;) {
      if (census.compute_at[s] == 0) continue;
      holder_[twins.set_of(s)] = s;
      part_[twins.set_of(s)] = parts.find(s);
    }
  }

  /// Two switches, the first of which must reach the second but does not. Equivalent switches with
  /// CNs reach each other over the switches above them; with none above they are separate parts.
  std::optional<std::pair<SwitchId, SwitchId>> breach(std::uint32_t first, std::uint32_t count,
                                                      const Hops& hops) const {
    for (std::uint32_t from = 0; from < twins_.sets(); ++from) {
      if (holder_[from] == kNone) continue;
      const auto row = hops.all(from);
      for (std::uint32_t i = 0; i < count; ++i)
        if (row[i] == Hops::kFar && holder_[first + i] != kNone && part_[first + i] == part_[from])
          return std::pair(SwitchId(holder_[from]), SwitchId(holder_[first + i]));
    }
    return std::nullopt;
  }

 private:
  std::vector<std::uint32_t> part_;    // by set of equivalent switches
  std::vector<std::uint32_t> holder_;  // by set: its first member with CNs, or kNone
  const Twins& twins_;
};

struct Routed {
  Routes routes;
  std::vector<std::int32_t> level;
};

Result<Routed> route_tree(const Fabric& fabric, const RoutingOptions& options,
                          const Census& census) {
  auto level = level_switches(fabric, options, census);
  if (!level) return forward(level);
  const Tree tree(fabric, *level);
  const Twins twins(tree);
  Destinations destinations = order_destinations(
      fabric, tree, census, options.index_from_roots ? LeafOrder::kFromRoots : LeafOrder::kById);
  if (!options.node_weights.empty())
    index_by_weight(fabric, tree, options.node_weights, destinations);
  const Duties duties(fabric, census, twins);
  const ReverseWays reverse(fabric, options);

  std::vector<ReverseWays::Entry> reversed;
  const auto look = [&](std::uint32_t first, std::uint32_t count, const Hops& hops) -> Status {
    if (const auto breach = duties.breach(first, count, hops))
      return fail(Code::kUnroutable,
                  "not a fat tree: cables join {} and {}, but there is no path that goes up and "
                  "then down",
                  describe(fabric.node(breach->first)), describe(fabric.node(breach->second)));
    reverse.find(tree, twins, destinations, first, count, hops, reversed);
    return {};
  };
  auto lfts = fill_tables(tree, destinations, twins, Paths::kUpDown, fabric.lid_top(),
                          options.threads, look);
  if (!lfts) return forward(lfts);
  for (const auto& entry : reversed) lfts->set(entry.sw, entry.lid, entry.port);
  bridge(fabric, tree, to_be_bridged(fabric, options, census), options.threads, *lfts);

  Routes routes;
  routes.engine = "ftree";
  routes.lfts = std::move(*lfts);
  routes.ca_order = std::move(destinations.ca_order);
  return Routed{std::move(routes), std::move(*level)};
}

Result<Routed> route_some_tree(const Fabric& fabric, const RoutingOptions& options) {
  const Census census = take_census(fabric, options);
  auto routes = route_tree(fabric, options, census);
  if (routes || !options.compute_nodes.empty()) return routes;
  // A few hosts at a spine make it count as a leaf.
  const Census fewer = without_few(fabric, census);
  if (fewer.compute_at == census.compute_at) return routes;
  auto again = route_tree(fabric, options, fewer);
  return again ? std::move(again) : std::move(routes);
}

}  // namespace

Result<Routes> route_ftree(const Fabric& fabric, const RoutingOptions& options) {
  auto routed = route_some_tree(fabric, options);
  if (!routed) return forward(routed);
  return std::move(routed->routes);
}

Result<Routes> route_ftree_ranked(const Fabric& fabric, const RoutingOptions& options,
                                  std::vector<std::uint16_t>& rank) {
  auto routed = route_some_tree(fabric, options);
  if (!routed) return forward(routed);
  const std::int32_t top = std::ranges::max(routed->level);
  rank.clear();
  for (const std::int32_t level : routed->level)
    rank.push_back(level == kNoLevel ? kNoRank : static_cast<std::uint16_t>(top - level));
  return std::move(routed->routes);
}

}  // namespace weft
