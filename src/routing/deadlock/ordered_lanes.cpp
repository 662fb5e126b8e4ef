// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/ordered_lanes.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "routing/deadlock/lanes_in_order.h"
#include "routing/deadlock/ordered_paths.h"
#include "routing/deadlock/pair_repair.h"
#include "routing/deadlock/path_repair.h"
#include "routing/deadlock/switch_orders.h"
#include "routing/shapes/ranks.h"
#include "routing/shapes/trunks.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

// Tables are kept if they need few lanes. On trees the paths that fit no order are similar; on
// other fabrics few of these paths close cycles.
constexpr OrderLimits kLimits{.lanes_max = 3, .unfitted_max = 0.02};
constexpr OrderLimits kLimitsOnTrees{.lanes_max = 4, .unfitted_max = 0.1};
constexpr OrderLimits kPairLimitsOnTrees{.lanes_max = 5, .unfitted_max = 0.1};

// Limit of the share of rerouted pairs. Above the limit, few paths of the given tables would
// remain.
constexpr double kMovedMax = 1.0 / 3;

/// Returns the lanes, row by source switch.
std::vector<std::uint8_t> by_source(const ordered::Paths& paths) {
  std::vector<std::uint8_t> lanes = paths.lane;
  std::ranges::replace(lanes, ordered::kNoTraffic, std::uint8_t{0});
  return lanes;
}

/// Returns the lanes by pair of switches. `lids`: by switch.
std::vector<std::uint8_t> by_pair(std::span<const std::vector<Lid>> lids,
                                  const ordered::Paths& paths) {
  std::vector<std::uint8_t> lanes(paths.switches * paths.switches, 0);
  for (std::size_t b = 0; b < paths.switches; ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (const std::uint8_t lane = ordered::lane_of(lids, a, b, paths);
          lane != ordered::kNoTraffic)
        lanes[a * paths.switches + b] = lanes[b * paths.switches + a] = lane;
  return lanes;
}

/// Calls attempt(lanes) for 2 lanes and more until a call returns a result. Numbers of lanes with
/// which too many paths agree with no order are skipped.
template <class Attempt>
std::optional<OrderedLanes> with_fewest_lanes(const Fabric& fabric, const Trunks& trunks,
                                              const SwitchOrders& orders, double unfitted_max,
                                              const Attempt& attempt) {
  const auto share = unfitted_shares(fabric, trunks, orders, Pairs::kOfEndports);
  for (unsigned lanes = 2; lanes <= orders.count(); ++lanes)
    if (share[lanes] <= unfitted_max)
      if (auto found = attempt(lanes)) return found;
  return std::nullopt;
}

/// Returns the LIDs of the endports by switch.
std::vector<std::vector<Lid>> lids_of(const Fabric& fabric,
                                      std::span<const Destination> destinations) {
  std::vector<std::vector<Lid>> lids(fabric.switch_count());
  for (const Destination& destination : destinations)
    for (const EndportId id : destination.endports)
      for (unsigned offset = 0; offset < lid_count(fabric.endport(id)); ++offset)
        lids[destination.sw.value()].push_back(lid_at(fabric.endport(id), offset));
  return lids;
}

}  // namespace

bool has_levels(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  return std::ranges::find(hosts, 0u) != hosts.end();
}

OrderLimits order_limits(bool levels, bool by_pair) {
  if (!levels) return kLimits;
  return by_pair ? kPairLimitsOnTrees : kLimitsOnTrees;
}

std::optional<OrderedLanes> order_lanes(const Fabric& fabric, const Turns& turns, const Lfts& lfts,
                                        unsigned lanes_max, double unfitted_max, unsigned threads) {
  const Trunks trunks(fabric);
  const SwitchOrders most(fabric, trunks, std::min(lanes_max, SwitchOrders::kMost));
  const auto to = destinations(fabric);
  const auto attempt = [&](unsigned count) -> std::optional<OrderedLanes> {
    const SwitchOrders orders(fabric, trunks, count);
    OrderedLanes found{count, lfts, {}};
    ordered::Paths paths(fabric);
    ordered::repair_paths(fabric, trunks, orders, to, threads, found.lfts, paths);
    ordered::LanesInOrder lanes(fabric, turns, trunks, orders, count);
    lanes.add_in_order(paths);
    if (!lanes.assign_others(paths)) return std::nullopt;
    found.lanes = by_source(paths);
    return found;
  };
  return with_fewest_lanes(fabric, trunks, most, unfitted_max, attempt);
}

std::optional<OrderedLanes> order_pair_lanes(const Fabric& fabric, const Turns& turns,
                                             const Lfts& lfts, unsigned lanes_max,
                                             double unfitted_max, unsigned threads) {
  const Trunks trunks(fabric);
  const SwitchOrders orders(fabric, trunks, std::min(lanes_max, SwitchOrders::kMost));
  const auto lids = lids_of(fabric, destinations(fabric));
  std::optional<ordered::PairRepairer> repairer;
  std::optional<ordered::LanesInOrder> in_order;
  ordered::PairRepairer::Repaired repaired;
  const auto attempt = [&](unsigned count) -> std::optional<OrderedLanes> {
    if (!repairer) repairer.emplace(fabric, trunks, orders, lids, lfts, threads);
    if (repaired.orders < count) {
      // With more orders, other paths would be selected, but few of these would fit.
      if (repaired.pairs_moved > kMovedMax) return std::nullopt;
      repaired = repairer->repair(count);
      in_order.emplace(fabric, turns, trunks, orders, count);
      in_order->add_in_order(repairer->paths());
    }
    while (in_order->count() < count) in_order->add_lane();
    ordered::LanesInOrder lanes = *in_order;
    ordered::Paths paths = repairer->paths();
    if (!lanes.assign_other_pairs(lids, paths)) return std::nullopt;
    return OrderedLanes{count, repairer->lfts(), by_pair(lids, paths)};
  };
  return with_fewest_lanes(fabric, trunks, orders, unfitted_max, attempt);
}

}  // namespace weft
