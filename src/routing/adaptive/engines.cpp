#include "routing/adaptive/engines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "routing/adaptive/groups.h"
#include "routing/dfp/dfp.h"
#include "routing/dfp/lanes.h"
#include "routing/dor.h"
#include "routing/ftree/ftree.h"
#include "routing/topology.h"
#include "routing/torus_2qos/torus_2qos.h"
#include "routing/updn.h"

namespace weft {
namespace {

using Names = std::pair<std::string_view, std::string_view>;
constexpr std::array kForms{Names{"ar_updn", "updn"}, Names{"ar_ftree", "ftree"},
                            Names{"ar_torus", "torus-2QoS"}, Names{"ar_dor", "dor"},
                            Names{"ar_dfp", "dfp"}};

Result<Routes> with_requested_groups(std::string_view engine, const Fabric& fabric,
                                     const RoutingOptions& options, Result<Routes> routes) {
  if (!routes) return routes;
  routes->engine = engine;
  add_requested_groups(fabric, options, *routes);
  return routes;
}

}  // namespace

std::string_view plain_engine(std::string_view name) {
  const auto found = std::ranges::find(kForms, name, &Names::first);
  return found == kForms.end() ? name : found->second;
}

Result<Routes> route_ar_updn(const Fabric& fabric, const RoutingOptions& options) {
  const auto rank = updn_ranks(fabric, options);
  if (!rank) return forward(rank);
  Routes routes = route_up_down(fabric, *rank, options, "ar_updn");
  add_tree_groups(fabric, *rank, options.switch_rank, options, routes);
  return routes;
}

Result<Routes> route_ar_ftree(const Fabric& fabric, const RoutingOptions& options) {
  std::vector<std::uint16_t> rank;
  auto routes = route_ftree_ranked(fabric, options, rank);
  if (!routes) return routes;
  routes->engine = "ar_ftree";
  add_tree_groups(fabric, rank, {}, options, *routes);
  return routes;
}

Result<Routes> route_ar_torus(const Fabric& fabric, const RoutingOptions& options) {
  return with_requested_groups("ar_torus", fabric, options, route_torus_2qos(fabric, options));
}

Result<Routes> route_ar_dor(const Fabric& fabric, const RoutingOptions& options) {
  return with_requested_groups("ar_dor", fabric, options, route_dor(fabric, options));
}

Result<Routes> route_ar_dfp(const Fabric& fabric, const RoutingOptions& options) {
  auto routes = route_dfp(fabric, options);
  if (!routes) return routes;
  routes->engine = "ar_dfp";
  const auto groups = find_groups(fabric);
  const bool one_sl = routes->path_sl.kind() == PathSl::Kind::kUniform;
  if (!one_sl || !groups->plus) {
    add_parallel_groups(fabric, options, *routes);
    return routes;
  }
  std::vector<std::uint8_t> up;
  const auto is_leaf = [&](SwitchId sw) { return !fabric.endports_at(sw).empty(); };
  for (const Channel& channel : fabric.channels())
    up.push_back(is_leaf(channel.to) && !is_leaf(channel.from) ? 0 : 1);
  const std::vector<std::string> notes = routes->notes;
  add_upward_groups(fabric, up, options, *routes);
  if (dfp::choices_are_safe(fabric, *groups, *routes) &&
      dfp::leaves_room_for_multicast(fabric, *routes, options))
    return routes;
  // Cables are missing, and selection among spines would close a cycle.
  routes->notes = notes;
  add_parallel_groups(fabric, options, *routes);
  return routes;
}

void add_requested_groups(const Fabric& fabric, const RoutingOptions& options, Routes& routes) {
  if (options.adaptive && options.adaptive->enabled &&
      options.adaptive->algorithm == ArAlgorithm::kTree)
    routes.notes.push_back(fmt::format(
        "adaptive routing: TREE requires up*/down* paths (ar_updn, ar_ftree): groups for '{}' are "
        "by LAG",
        routes.engine));
  add_parallel_groups(fabric, options, routes);
}

}  // namespace weft
