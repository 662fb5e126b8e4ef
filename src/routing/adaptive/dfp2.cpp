// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/dfp2.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "routing/adaptive/dfp2_tables.h"
#include "routing/adaptive/engines.h"
#include "routing/adaptive/groups.h"
#include "routing/deadlock/lanes.h"
#include "routing/topology.h"

namespace weft {
namespace {

DfpOptions dfp_options(const Dfp2Options& options, DfpLanes lanes) {
  return {static_cast<const SpreadOptions&>(options), options.vls_max, false, lanes};
}

/// By switch: whether the switch has AR groups and enough forwarding tables.
std::vector<bool> capable_switches(const Fabric& fabric, const Dfp2Options& options,
                                   unsigned tables) {
  std::vector<bool> capable(fabric.switch_count(), true);
  if (options.adaptive == nullptr) return capable;
  const auto& groups = options.adaptive->group_capacity;
  const auto& count = options.adaptive->forwarding_tables;
  for (std::size_t s = 0; s < capable.size(); ++s)
    capable[s] = (groups.empty() || groups[s] > 0) && (count.empty() || count[s] >= tables);
  return capable;
}

/// Makes the entries of each LID with packets out of the order of the lanes static: first the
/// entries of the source group, then, if packets remain out of order, the entries of all groups.
void keep_order(const Fabric& fabric, const SwitchGroups& groups, Routes& routes) {
  for (const auto& [from, lid] : dfp_irregular_choices(fabric, routes))
    make_static(groups, groups.of[from.value()], lid, *routes.adaptive);
  for (const auto& [from, lid] : dfp_irregular_choices(fabric, routes))
    for (std::uint32_t group = 0; group < groups.size.size(); ++group)
      make_static(groups, group, lid, *routes.adaptive);
}

/// Returns routes with paths over intermediate groups; nullopt, with the reason in `why`, if there
/// are no such paths, or if these routes are not deadlock-free.
std::optional<Routes> with_detours(const Fabric& fabric, const SwitchGroups& groups,
                                   const Dfp2Options& options, DfpLanes lanes, std::string& why) {
  why = fmt::format(
      "paths over intermediate groups have no deadlock-free order on {} virtual lanes in this "
      "fabric",
      lanes_available(fabric, options.vls_max));
  const DfpOptions plain = dfp_options(options, lanes);
  auto routes = route_dfp(fabric, plain);
  if (!routes) return std::nullopt;
  const auto capable = capable_switches(fabric, options, dfp2_table_count(*routes));
  if (std::ranges::find(capable, true) == capable.end()) {
    why =
        fmt::format("no switch has AR groups and {} forwarding tables", dfp2_table_count(*routes));
    return std::nullopt;
  }
  const GroupOptions group_options{.threads = options.threads, .adaptive = options.adaptive};
  add_upward_groups(fabric, upward_channels(fabric), group_options, *routes);
  const std::uint64_t entries = add_dfp2_tables(fabric, groups, capable, group_options, *routes);
  if (entries == 0) {
    why = "no switch with private forwarding tables has a path over an intermediate group";
    return std::nullopt;
  }
  if (lanes == DfpLanes::kPrivateSeparate) keep_order(fabric, groups, *routes);
  if (!dfp_choices_are_safe(fabric, *routes, plain)) return std::nullopt;
  const auto without = std::ranges::find(capable, false);
  if (without != capable.end())
    routes->notes.push_back(fmt::format(
        "dfp2: {} of {} switches lack private forwarding tables or AR groups (first {}): these "
        "switches use minimal paths only",
        std::ranges::count(capable, false), capable.size(),
        describe(fabric.node(SwitchId(static_cast<std::uint32_t>(without - capable.begin()))))));
  return std::move(*routes);
}

Result<Routes> minimal(const Fabric& fabric, const Dfp2Options& options, std::string why) {
  WithGroups<DfpOptions> plain{dfp_options(options, DfpLanes::kOwn), options.adaptive};
  auto routes = route_ar_dfp(fabric, plain);
  if (!routes) return routes;
  routes->notes.push_back("dfp2: minimal paths only, as with ar_dfp: " + std::move(why));
  return routes;
}

}  // namespace

Dfp2Options Dfp2Options::from(const RoutingOptions& all) {
  return {SpreadOptions::from(all), all.vls_max, pointer_to(all.adaptive)};
}

Result<Routes> route_dfp2(const Fabric& fabric, const Dfp2Options& options) {
  const auto groups = find_groups(fabric);
  if (!groups || !groups->plus) return route_dfp(fabric, dfp_options(options, DfpLanes::kPrivate));
  const auto finish = [](Result<Routes> routes) {
    if (routes) routes->engine = "dfp2";
    return routes;
  };
  if (options.adaptive != nullptr && !options.adaptive->enabled)
    return finish(minimal(fabric, options, "adaptive routing is disabled by configuration"));
  if (options.adaptive != nullptr && options.adaptive->algorithm == ArAlgorithm::kLag)
    return finish(minimal(fabric, options, "AR_ALGORITHM LAG selects among parallel cables only"));
  const auto capable = capable_switches(fabric, options, 2);
  if (std::ranges::find(capable, true) == capable.end())
    return finish(
        minimal(fabric, options, "no switch has both private forwarding tables and AR groups"));
  std::string why;
  for (const DfpLanes lanes : {DfpLanes::kPrivate, DfpLanes::kPrivateSeparate})
    if (auto routes = with_detours(fabric, *groups, options, lanes, why))
      return finish(std::move(*routes));
  return finish(minimal(fabric, options, std::move(why)));
}

}  // namespace weft
