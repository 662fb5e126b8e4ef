// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dfp/dfp.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "routing/balance/spread.h"
#include "routing/balance/weighted.h"
#include "routing/deadlock/lanes.h"
#include "routing/dfp/detours.h"
#include "routing/dfp/escalation.h"
#include "routing/dfp/lanes.h"
#include "routing/dfp/spine_turns.h"
#include "routing/multicast.h"
#include "routing/tables/destinations.h"
#include "routing/topology.h"

namespace weft {
namespace {

// Weight of a cable between groups, greater than the length of every path within groups.
constexpr std::uint64_t kBetweenGroups = 1'000;

std::vector<bool> global_channels(const Fabric& fabric, const SwitchGroups& groups) {
  std::vector<bool> global(fabric.channel_count());
  for (std::uint32_t c = 0; c < global.size(); ++c) {
    const Channel& channel = fabric.channel(ChannelId(c));
    global[c] = groups.of[channel.from.value()] != groups.of[channel.to.value()];
  }
  return global;
}

MulticastOptions multicast_options(const DfpOptions& options) {
  return {.threads = options.threads, .vls_max = options.vls_max};
}

/// Adds as many detours as fit on the lanes. Returns false, with unchanged tables, if no detours
/// fit.
bool route_with_detours(const Fabric& fabric, const SwitchGroups& groups, unsigned available,
                        const DfpOptions& options, Routes& routes) {
  const auto fits = [&](unsigned most) {
    return dfp::assign_lanes(fabric, groups, most, options.threads, routes) &&
           allows_multicast(fabric, routes, multicast_options(options));
  };
  const Lfts direct = routes.lfts;
  dfp::add_detours(fabric, groups, dfp::DetourRule::kWide, routes.lfts);
  if (fits(std::min(available, dfp::kLanesForDetours))) return true;
  // If there are more than kLanesForDetours lanes, unicast leaves one of them to multicast, so that
  // allows_multicast() returns true.
  const unsigned for_unicast = available > dfp::kLanesForDetours ? available - 1 : available;
  for (const auto rule : {dfp::DetourRule::kWide, dfp::DetourRule::kHigherThanBoth}) {
    if (groups.plus && rule == dfp::DetourRule::kWide) continue;
    for (const bool includes_spines : {false, true}) {
      if (!groups.plus && !includes_spines) continue;  // without spines both cases are equal
      routes.lfts = direct;
      dfp::add_detours(fabric, groups, rule, routes.lfts);
      dfp::drop_irregular_detours(fabric, groups, includes_spines, routes.lfts);
      if (fits(for_unicast)) return true;
    }
  }
  routes.lfts = direct;
  return false;
}

}  // namespace

DfpOptions DfpOptions::from(const RoutingOptions& all) {
  return {SpreadOptions::from(all), all.vls_max, all.parameters.of(kDfpDetours) != 0,
          DfpLanes::kOwn};
}

bool dfp_choices_are_safe(const Fabric& fabric, const Routes& routes, const DfpOptions& options) {
  const auto groups = find_groups(fabric);
  return groups && dfp::choices_are_safe(fabric, *groups, routes, options.lanes) &&
         allows_multicast(fabric, routes, multicast_options(options));
}

std::vector<DfpPackets> dfp_irregular_choices(const Fabric& fabric, const Routes& routes) {
  const auto groups = find_groups(fabric);
  if (!groups) return {};
  const Turns turns(fabric);
  std::vector<DfpPackets> packets;
  for (const auto& [from, lid] :
       dfp::Escalation::with_private_tables(fabric, turns, *groups).irregular_choices(routes))
    packets.push_back({from, lid});
  return packets;
}

Result<Routes> route_dfp(const Fabric& fabric, const DfpOptions& options) {
  const auto groups = find_groups(fabric);
  if (!groups)
    return fail(Code::kUnroutable,
                "the fabric is not a dragonfly: found no groups of switches with cables between "
                "all pairs of groups");
  const auto global = global_channels(fabric, *groups);
  std::vector<std::uint64_t> weights(global.size());
  for (std::size_t c = 0; c < weights.size(); ++c) weights[c] = global[c] ? kBetweenGroups : 1;

  Routes routes;
  routes.engine = "dfp";
  const auto order = destinations(fabric, options.order);
  routes.lfts = spread(
      fabric, order, [&](SwitchId to, HopDag& dag) { make_weighted_dag(fabric, weights, to, dag); },
      options);
  const bool is_private = options.lanes != DfpLanes::kOwn;
  if (is_private && !groups->plus)
    return fail(Code::kUnroutable,
                "found a dragonfly without spines, expected a dragonfly+ for dfp2: use ar_dfp");
  dfp::separate_spine_turns(fabric, *groups, routes.lfts);
  const unsigned available = lanes_available(fabric, options.vls_max);
  if (options.detours) {
    if (route_with_detours(fabric, *groups, available, options, routes)) return routes;
    routes.notes.push_back(
        fmt::format("dfp_detours: paths over an intermediate group need more than {} virtual lanes "
                    "in this fabric: all LIDs of a port have paths without detours",
                    available));
  }
  const auto status =
      is_private ? dfp::assign_private_lanes(fabric, *groups, available, options.lanes, routes)
                 : dfp::assign_lanes(fabric, *groups, available, options.threads, routes);
  if (!status) return forward(status);
  if (!allows_multicast(fabric, routes, multicast_options(options)))
    return fail(
        Code::kOutOfVls,
        "dfp needs more than {0} virtual lanes, found {0}: a search found no multicast tree "
        "over all switches that closes no credit loop with unicast packets",
        available);
  return routes;
}

}  // namespace weft
