// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/engines.h"

#include "routing/adaptive/groups.h"
#include "routing/topology.h"
#include "routing/up_down/up_down.h"

namespace weft {
namespace {

template <class Plain>
GroupOptions group_options(const WithGroups<Plain>& options) {
  return {.threads = options.threads, .adaptive = options.adaptive};
}

Result<Routes> with_requested_groups(std::string_view engine, const Fabric& fabric,
                                     const GroupOptions& options, Result<Routes> routes) {
  if (!routes) return routes;
  routes->engine = engine;
  add_requested_groups(fabric, options, *routes);
  return routes;
}

}  // namespace

Result<Routes> route_ar_updn(const Fabric& fabric, const WithGroups<UpdnOptions>& options) {
  const auto rank = updn_ranks(fabric, options);
  if (!rank) return forward(rank);
  Routes routes = route_up_down(fabric, *rank, options, "ar_updn");
  GroupOptions groups = group_options(options);
  groups.hop_weights = options.hop_weights;
  add_tree_groups(fabric, *rank, options.switch_rank, groups, routes);
  return routes;
}

Result<Routes> route_ar_ftree(const Fabric& fabric, const WithGroups<FtreeOptions>& options) {
  std::vector<std::uint16_t> rank;
  auto routes = route_ftree_ranked(fabric, options, rank);
  if (!routes) return routes;
  routes->engine = "ar_ftree";
  add_tree_groups(fabric, rank, {}, group_options(options), *routes);
  return routes;
}

Result<Routes> route_ar_torus(const Fabric& fabric, const WithGroups<Torus2QosOptions>& options) {
  return with_requested_groups("ar_torus", fabric, group_options(options),
                               route_torus_2qos(fabric, options));
}

Result<Routes> route_ar_dor(const Fabric& fabric, const WithGroups<DorOptions>& options) {
  return with_requested_groups("ar_dor", fabric, group_options(options),
                               route_dor(fabric, options));
}

Result<Routes> route_ar_dfp(const Fabric& fabric, const WithGroups<DfpOptions>& options) {
  auto routes = route_dfp(fabric, options);
  if (!routes) return routes;
  routes->engine = "ar_dfp";
  const auto groups = find_groups(fabric);
  const bool one_sl = routes->path_sl.kind() == PathSl::Kind::kUniform;
  if (!one_sl || !groups->plus) {
    add_parallel_groups(fabric, group_options(options), *routes);
    return routes;
  }
  const std::vector<std::string> notes = routes->notes;
  add_upward_groups(fabric, upward_channels(fabric), group_options(options), *routes);
  if (dfp_choices_are_safe(fabric, *routes, options)) return routes;
  // If cables are missing, a selection among spines can close a cycle, so the groups are LAG
  // groups.
  routes->notes = notes;
  add_parallel_groups(fabric, group_options(options), *routes);
  return routes;
}

void add_requested_groups(const Fabric& fabric, const GroupOptions& options, Routes& routes) {
  if (options.adaptive != nullptr && options.adaptive->enabled &&
      options.adaptive->algorithm == ArAlgorithm::kTree)
    routes.notes.push_back(fmt::format(
        "adaptive routing: TREE requires up*/down* paths (ar_updn, ar_ftree): groups for '{}' are "
        "by LAG",
        routes.engine));
  add_parallel_groups(fabric, options, routes);
}

}  // namespace weft
