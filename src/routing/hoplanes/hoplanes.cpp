// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/hoplanes/hoplanes.h"

#include <utility>
#include <vector>

#include "routing/balance/spread.h"
#include "routing/balance/weighted.h"
#include "routing/deadlock/lanes.h"
#include "routing/deadlock/turns.h"
#include "routing/hoplanes/channel_orders.h"
#include "routing/hoplanes/group_detours.h"
#include "routing/hoplanes/lane_plan.h"
#include "routing/hoplanes/lid_detours.h"
#include "routing/multicast.h"
#include "routing/reweight/tables.h"
#include "routing/shapes/hyperx.h"
#include "routing/shapes/shortest_dag.h"
#include "routing/tables/destinations.h"
#include "routing/topology.h"

namespace weft {
namespace {

/// Whether the entries that the passes may change are equal to the entries of the active tables.
bool keeps_all(const Fabric& fabric, const Lfts& previous, const Lfts& lfts, bool first_only) {
  for (const Endport& endport : fabric.endports()) {
    if (!endport.addressed()) continue;
    const unsigned lids = first_only ? 1 : lid_count(endport);
    for (unsigned i = 0; i < lids; ++i)
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
        if (previous.port(SwitchId(s), lid_at(endport, i)) !=
            lfts.port(SwitchId(s), lid_at(endport, i)))
          return false;
  }
  return true;
}

Lfts balanced_tables(const Fabric& fabric, const HoplanesOptions& options) {
  const auto order = destinations(fabric, options.order);
  const auto heads = channel_heads(fabric);
  const auto make_dag = [&](SwitchId to, HopDag& dag) {
    if (options.hop_weights.empty()) {
      make_shortest_dag(fabric, heads, to, dag);
    } else {
      make_weighted_dag(fabric, options.hop_weights, to, dag);
    }
  };
  Lfts lfts = spread(fabric, order, make_dag, options);
  // Tables equal to the active tables stay, because reweighting would change entries without need.
  if (options.previous != nullptr && keeps_all(fabric, *options.previous, lfts, options.detours))
    return lfts;
  reweight::reweigh_tables(
      fabric, order, make_dag, options, options.reweight, lfts, reweight::Begin::kBalanced,
      options.detours ? reweight::LidsMoved::kFirst : reweight::LidsMoved::kAll);
  return lfts;
}

/// On a HyperX, replaces tables that need several lanes by paths in dimension order, unless the
/// paths in dimension order have a greater largest load. Paths in dimension order need one lane,
/// and no selection of shortest paths has a more even load if all switches have the same number of
/// hosts. Does nothing with hop weights or node weights, and with scattered ports, since in
/// dimension order each switch has only one next hop.
void prefer_dimension_order(const Fabric& fabric, const HoplanesOptions& options, Lfts& lfts) {
  if (!options.hop_weights.empty() || !options.node_weights.empty() || options.scatter_ports != 0)
    return;
  const auto hyperx = find_hyperx(Trunks(fabric));
  if (!hyperx || is_acyclic_on_one_lane(fabric, Turns(fabric), lfts, options.threads)) return;
  const auto heads = channel_heads(fabric);
  Lfts ordered = spread(
      fabric, destinations(fabric, options.order),
      [&](SwitchId to, HopDag& dag) { make_dimension_dag(fabric, heads, *hyperx, to, dag); },
      options);
  if (reweight::measure_tables(fabric, lfts, options.threads).largest >=
      reweight::measure_tables(fabric, ordered, options.threads).largest)
    lfts = std::move(ordered);
}

/// Lanes for routes with complete tables.
class HopLanes {
 public:
  HopLanes(const Fabric& fabric, const HoplanesOptions& options)
      : fabric_(fabric), options_(options), available_(lanes_available(fabric, options.vls_max)) {}

  unsigned available() const { return available_; }

  /// Returns false, with unchanged routes, if the routes need more lanes than are available.
  /// `classes` is as for plan_lanes().
  bool assign(std::span<const std::uint32_t> classes, Routes& routes) {
    const Turns turns(fabric_);
    if (is_acyclic_on_one_lane(fabric_, turns, routes.lfts, options_.threads)) return true;
    auto found = plan(routes.lfts, classes, 2, available_);
    if (!found) return false;
    routes.vls = routes.vls_needed = found->lanes;
    routes.path_sl = std::move(found->path_sl);
    routes.sl2vl = std::move(found->sl2vl);
    return true;
  }

  bool leaves_lane_for_multicast(const Routes& routes) const {
    return allows_multicast(fabric_, routes,
                            {.threads = options_.threads, .vls_max = options_.vls_max});
  }

  /// The number of lanes that would be enough, as text.
  std::string needed_lanes(const Lfts& lfts) {
    const auto found = plan(lfts, {}, available_ + 1, kDataVlCount);
    return found ? fmt::format("{}", found->lanes) : fmt::format("more than {}", kDataVlCount);
  }

 private:
  std::optional<hoplanes::LanePlan> plan(const Lfts& lfts, std::span<const std::uint32_t> classes,
                                         unsigned least, unsigned most) {
    if (orders_.empty()) orders_ = hoplanes::channel_orders(fabric_);
    return hoplanes::plan_lanes(fabric_, lfts, orders_, classes, least, most, options_.threads);
  }

  const Fabric& fabric_;
  const HoplanesOptions& options_;
  unsigned available_;
  std::vector<hoplanes::ChannelOrder> orders_;  // computed at the first use
};

/// Adds detours for all LIDs of a port except the first. Returns false, with unchanged routes, if
/// there are too few lanes.
bool route_detours(const Fabric& fabric, const HoplanesOptions& options, HopLanes& lanes,
                   Routes& routes) {
  const Routes direct = routes;
  std::vector<std::uint32_t> classes;
  if (const auto groups = find_groups(fabric)) {
    classes = hoplanes::group_classes(*groups);
    hoplanes::add_group_detours(fabric, *groups, classes, options.ignored, routes.lfts);
  } else {
    hoplanes::add_lid_detours(fabric, options.ignored, routes.lfts);
  }
  if (lanes.assign(classes, routes) && lanes.leaves_lane_for_multicast(routes)) return true;
  routes = direct;
  return false;
}

}  // namespace

HoplanesOptions HoplanesOptions::from(const RoutingOptions& all) {
  const unsigned passes = all.parameters.of(kReweight);
  return {WeightedOptions::from(all), all.vls_max, passes == 0 ? kReweightAuto : passes,
          all.parameters.of(kHoplanesDetours) != 0};
}

Result<Routes> route_hoplanes(const Fabric& fabric, const HoplanesOptions& options) {
  Routes routes;
  routes.engine = "hoplanes";
  routes.lfts = balanced_tables(fabric, options);
  HopLanes lanes(fabric, options);
  if (options.detours) {
    if (route_detours(fabric, options, lanes, routes)) return routes;
    routes.notes.push_back(fmt::format(
        "hoplanes_detours: the detours need more than {} virtual lanes in this fabric: all LIDs "
        "of a port have shortest paths",
        lanes.available()));
  }
  prefer_dimension_order(fabric, options, routes.lfts);
  if (!lanes.assign({}, routes))
    return fail(Code::kOutOfVls, "hoplanes needs {} virtual lanes, found {}",
                lanes.needed_lanes(routes.lfts), lanes.available());
  if (!lanes.leaves_lane_for_multicast(routes))
    return fail(Code::kOutOfVls,
                "hoplanes needs {} virtual lanes, found {}: one more than for unicast, because "
                "no multicast tree over all switches is free of credit loops with the unicast "
                "packets",
                lanes.available() + 1, lanes.available());
  return routes;
}

}  // namespace weft
