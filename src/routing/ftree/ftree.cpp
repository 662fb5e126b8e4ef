#include "routing/ftree/ftree.h"

#include <algorithm>

#include "base/parallel.h"
#include "routing/ftree/forest.h"
#include "routing/ftree/hops.h"
#include "routing/ftree/levels.h"
#include "routing/ftree/order.h"
#include "routing/ftree/reverse.h"
#include "routing/ftree/rows.h"
#include "routing/ftree/tree.h"

namespace weft {
namespace {

using namespace ftree;

// Destinations at a time: their hops from all switches of a large fabric stay in the cache.
constexpr std::uint32_t kBlock = 1024;

/// Switches that must reach each other: all that hold CNs and that cables join.
class Duties {
 public:
  Duties(const Fabric& fabric, const Census& census) : part_(fabric.switch_count()) {
    Forest parts(fabric.switch_count());
    for (const Channel& channel : fabric.channels())
      parts.join(channel.from.value(), channel.to.value());
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      part_[s] = census.compute_at[s] > 0 ? parts.find(s) : kIdle;
  }
  bool idle(std::uint32_t sw) const { return part_[sw] == kIdle; }
  bool must_reach(std::uint32_t from, std::uint32_t to) const {
    return part_[from] != kIdle && part_[from] == part_[to];
  }

 private:
  static constexpr std::uint32_t kIdle = 0xFFFFFFFF;
  std::vector<std::uint32_t> part_;
};

/// The first of the destinations that this switch ought to reach and does not, or the switch
/// itself.
std::uint32_t first_missing(std::uint32_t from, std::span<const std::uint32_t> destinations,
                            const Hops& hops, const Duties& duties) {
  if (duties.idle(from)) return from;
  const auto row = hops.all(from);
  for (std::size_t i = 0; i < destinations.size(); ++i)
    if (row[i] == Hops::kFar && duties.must_reach(from, destinations[i])) return destinations[i];
  return from;
}

}  // namespace

Result<Routes> route_ftree(const Fabric& fabric, const RoutingOptions& options) {
  const Census census = take_census(fabric, options);
  auto level = level_switches(fabric, options, census);
  if (!level) return forward(level);
  const Tree tree(fabric, std::move(*level));
  Destinations destinations = order_destinations(fabric, tree, census);
  const Duties duties(fabric, census);
  const ReverseWays reverse(fabric, options, census);

  Routes routes;
  routes.engine = "ftree";
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  const Rows rows(tree, destinations);
  Hops hops(tree, std::min(kBlock, destinations.columns()));
  std::vector<std::uint32_t> missing(fabric.switch_count());
  for (std::uint32_t first = 0; first < destinations.columns(); first += kBlock) {
    const std::uint32_t count = std::min(kBlock, destinations.columns() - first);
    const auto block = std::span(destinations.switches).subspan(first, count);
    hops.compute(block, options.threads);
    parallel_for(
        fabric.switch_count(), options.threads,
        [&](std::size_t i) {
          const auto s = static_cast<std::uint32_t>(i);
          rows.fill(s, first, count, hops, routes.lfts.row(SwitchId(s)));
          missing[s] = first_missing(s, block, hops, duties);
        },
        4);
    for (std::uint32_t s = 0; s < missing.size(); ++s)
      if (missing[s] != s)
        return fail(Code::kUnroutable,
                    "not a fat tree: cables join {} and {}, but there is no path that goes up and "
                    "then down",
                    describe(fabric.node(SwitchId(s))),
                    describe(fabric.node(SwitchId(missing[s]))));
    reverse.add(tree, destinations, first, count, hops, routes.lfts);
  }
  routes.ca_order = std::move(destinations.ca_order);
  return routes;
}

}  // namespace weft
