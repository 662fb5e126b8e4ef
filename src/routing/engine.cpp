// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/engine.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "routing/adaptive/ar_minhop.h"
#include "routing/adaptive/dfp2.h"
#include "routing/adaptive/engines.h"
#include "routing/adaptive/group_divisions.h"
#include "routing/adaptive/kdor.h"
#include "routing/adaptive/notifications.h"
#include "routing/chain/chain.h"
#include "routing/deadlock/switch_reach.h"
#include "routing/dfp/dfp.h"
#include "routing/dfsssp.h"
#include "routing/dnup.h"
#include "routing/dor.h"
#include "routing/file/file.h"
#include "routing/ftree/ftree.h"
#include "routing/hoplanes/hoplanes.h"
#include "routing/lash.h"
#include "routing/minhop.h"
#include "routing/multicast.h"
#include "routing/nue/nue.h"
#include "routing/plugin.h"
#include "routing/sssp.h"
#include "routing/tables/missing_routes.h"
#include "routing/torus_2qos/torus_2qos.h"
#include "routing/updn.h"

namespace weft {
namespace {

/// An engine function with its own type of options, as a function of all options.
template <auto route>
struct EngineRunner;
template <class Supported, Result<Routes> (*route)(const Fabric&, const Supported&)>
struct EngineRunner<route> {
  using Options = Supported;
  static Result<Routes> run(const Fabric& fabric, const RoutingOptions& options) {
    return route(fabric, Supported::from(options));
  }
};

/// A row of the table; the options and parameters follow from the type of the function.
template <auto route>
constexpr Engine engine(std::string_view name, std::string_view summary, EngineTraits traits) {
  using Options = typename EngineRunner<route>::Options;
  Engine row{name, summary, &EngineRunner<route>::run, Options::kSupports, {}, traits};
  if constexpr (requires { Options::kParameters; }) row.parameters = Options::kParameters;
  return row;
}

constexpr std::array kEngines{
    engine<&route_minhop>("minhop", "shortest paths, balanced", {.automatic = 1}),
    engine<&route_dnup>("dnup", "up*/down* paths by distance from the hosts, free of deadlock",
                        {.automatic = 3}),
    engine<&route_dor>("dor", "dimension order by port numbers, for meshes and hypercubes",
                       {.automatic = 4}),
    engine<&route_torus_2qos>("torus-2QoS", "dimension order on a torus by datelines", {}),
    engine<&route_sssp>("sssp", "shortest paths, balanced; compute and I/O nodes separately",
                        {.automatic = 5}),
    engine<&route_dfsssp>("dfsssp", "shortest paths on virtual lanes, free of deadlock",
                          {.automatic = 10}),
    engine<&route_lash>("lash", "shortest paths on layers, the same for both directions of a pair",
                        {.automatic = 9}),
    engine<&route_updn>("updn", "up*/down* paths from root switches, free of deadlock",
                        {.automatic = 2}),
    engine<&route_ftree>("ftree",
                         "fat trees by a closed form, free of congestion in shift permutations",
                         {.automatic = 6, .connects_roots_later = true}),
    engine<&route_nue>("nue", "short paths, free of deadlock on any fabric and any number of VLs",
                       {.automatic = 8}),
    engine<&route_dfp>("dfp",
                       "paths between groups of dragonflies and dragonflies+, free of deadlock",
                       {.automatic = 7}),
    engine<&route_hoplanes>("hoplanes",
                            "shortest paths balanced by load, with virtual lanes by hop",
                            {.automatic = 11}),
    engine<&route_chain>("chain", "parts of the fabric, each routed by its own engine",
                         {.whole_fabric = true}),
    engine<&route_file>("file", "tables or hop counts from files",
                        {.whole_fabric = true, .is_final = true}),
    engine<&route_ar_updn>("ar_updn",
                           "updn with adaptive routing over all shortest up*/down* paths",
                           {.plain = "updn", .replaces_plain = true}),
    engine<&route_ar_ftree>(
        "ar_ftree", "ftree with adaptive routing over all shortest paths of the tree",
        {.plain = "ftree", .replaces_plain = true, .connects_roots_later = true}),
    engine<&route_ar_torus>("ar_torus", "torus-2QoS with adaptive routing over parallel cables",
                            {.plain = "torus-2QoS"}),
    engine<&route_ar_dor>("ar_dor", "dor with adaptive routing over parallel cables",
                          {.plain = "dor"}),
    engine<&route_ar_dfp>("ar_dfp", "dfp with adaptive routing over the spines of a dragonfly+",
                          {.plain = "dfp", .replaces_plain = true}),
    engine<&route_dfp2>("dfp2",
                        "dfp with adaptive routing over spines and intermediate groups of a "
                        "dragonfly+, by private forwarding tables",
                        {.plain = "dfp"}),
    engine<&route_ar_minhop>("ar_minhop",
                             "minhop with adaptive routing over all shortest paths, on virtual "
                             "lanes, free of deadlock",
                             {.plain = "minhop"}),
    engine<&route_kdor_hc>("kdor-hc",
                           "adaptive dimension order on hypercubes, meshes and tori, on virtual "
                           "lanes, free of deadlock",
                           {.plain = "minhop"}),
    engine<&route_kdor_ghc>("kdor-ghc",
                            "adaptive dimension order on generalized hypercubes (HyperX), on "
                            "virtual lanes, free of deadlock",
                            {.plain = "minhop"}),
};

bool is_requested(const Engine& engine, const RoutingOptions& options) {
  return options.adaptive && options.adaptive->enabled &&
         (!options.adaptive->only_ar_engines || !engine.traits.plain.empty());
}

/// Returns the adaptive variant that replaces the engine if adaptive routing is requested, else the
/// engine.
const Engine& variant_to_run(const Engine& engine, const RoutingOptions& options) {
  if (!is_requested(engine, options)) return engine;
  const auto found = std::ranges::find_if(kEngines, [&](const Engine& variant) {
    return variant.traits.replaces_plain && variant.traits.plain == engine.name;
  });
  return found == kEngines.end() ? engine : *found;
}

/// The routes that an earlier run with passes stored, for a run without passes.
std::optional<Routes> take_before_passes(const RoutingOptions& options) {
  if (!options.before_passes || options.parameters.of(kReweight) != 0) return std::nullopt;
  return std::exchange(options.before_passes->routes, std::nullopt);
}

/// After a run with passes: compares its routes with those before the passes. The routes that the
/// plain engine of an adaptive variant stored have no AR groups, and are discarded.
void compare_before_passes(const Engine& variant, const Routes& routes, BeforePasses& before) {
  if (!variant.traits.plain.empty()) before.routes.reset();
  before.unchanged = before.routes == routes;
}

}  // namespace

Result<Routes> run_engine(const Engine& engine, const Fabric& fabric,
                          const RoutingOptions& options) {
  const Engine& variant = variant_to_run(engine, options);
  auto before = take_before_passes(options);
  auto routes = before ? Result<Routes>(std::move(*before)) : variant.run(fabric, options);
  if (!routes) return routes;
  if (options.before_passes && options.parameters.of(kReweight) != 0)
    compare_before_passes(variant, *routes, *options.before_passes);
  if (&variant != &engine) routes->engine = engine.name;
  if (!engine.traits.is_final) connect_switches(fabric, *routes, options.threads);
  if (is_requested(engine, options) && !routes->adaptive)
    add_requested_groups(fabric, options, *routes);
  if (options.connect_roots && engine.traits.connects_roots_later)
    add_missing_switch_routes(fabric, routes->lfts);
  if (options.calculate_missing_routes) add_missing_routes(fabric, routes->lfts);
  // Divisions and notifications are for groups of table 0 only.
  const bool has_one_table = routes->adaptive && !routes->adaptive->has_private_tables();
  if (has_one_table && options.adaptive)
    divide_groups(fabric, *options.adaptive, options.threads, *routes);
  if (has_one_table && options.adaptive && !options.adaptive->notifies.empty())
    routes->adaptive->set_notifications(
        plan_notifications(fabric, *routes, options.adaptive->notifies));
  auto plan = plan_multicast(fabric, *routes, options, options.groups);
  if (!plan) return forward(plan);
  add_multicast(std::move(*plan), *routes);
  return routes;
}

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find(kEngines, name, &Engine::name);
  return found == kEngines.end() ? find_loaded_engine(name) : &*found;
}

std::span<const EngineParameter> engine_parameters() {
  static const std::vector<EngineParameter> all = [] {
    std::vector<EngineParameter> found;
    for (const Engine& engine : kEngines)
      if (engine.traits.plain.empty())  // variants have the parameters of their plain engine
        for (const EngineParameter& parameter : engine.parameters)
          if (std::ranges::find(found, parameter.name, &EngineParameter::name) == found.end())
            found.push_back(parameter);
    return found;
  }();
  return all;
}

std::string_view plain_engine(std::string_view name) {
  const auto found = std::ranges::find(kEngines, name, &Engine::name);
  return found == kEngines.end() || found->traits.plain.empty() ? name : found->traits.plain;
}

}  // namespace weft
