#include "routing/engine.h"

#include <algorithm>
#include <array>

#include "routing/adaptive/engines.h"
#include "routing/adaptive/notifications.h"
#include "routing/chain/chain.h"
#include "routing/deadlock/switch_reach.h"
#include "routing/dfp/dfp.h"
#include "routing/dfsssp.h"
#include "routing/dnup.h"
#include "routing/dor.h"
#include "routing/file/file.h"
#include "routing/ftree/ftree.h"
#include "routing/lash.h"
#include "routing/minhop.h"
#include "routing/multicast.h"
#include "routing/nue/nue.h"
#include "routing/plugin.h"
#include "routing/sssp.h"
#include "routing/supported_options.h"
#include "routing/tables/missing_routes.h"
#include "routing/torus_2qos/torus_2qos.h"
#include "routing/updn.h"

namespace weft {
namespace {

constexpr std::array kEngines{
    Engine{"minhop", "shortest paths, balanced", &route_minhop},
    Engine{"dnup", "up*/down* paths by distance from the hosts, free of deadlock", &route_dnup},
    Engine{"dor", "dimension order by port numbers, for meshes and hypercubes", &route_dor},
    Engine{"torus-2QoS", "dimension order on a torus by datelines", &route_torus_2qos},
    Engine{"sssp", "shortest paths, balanced; compute and I/O nodes separately", &route_sssp},
    Engine{"dfsssp", "shortest paths on virtual lanes, free of deadlock", &route_dfsssp},
    Engine{"lash", "shortest paths on layers, the same for both directions of a pair", &route_lash},
    Engine{"updn", "up*/down* paths from root switches, free of deadlock", &route_updn},
    Engine{"ftree", "fat trees by closed form, free of congestion under shifts", &route_ftree},
    Engine{"nue", "short paths, free of deadlock on any fabric and any number of VLs", &route_nue},
    Engine{"dfp", "dragonflies and dragonflies+, by groups, free of deadlock", &route_dfp},
    Engine{"chain", "parts of the fabric, each routed by its own engine", &route_chain},
    Engine{"file", "tables or hop counts from files", &route_file},
    Engine{"ar_updn", "updn with adaptive routing over all shortest up*/down* paths",
           &route_ar_updn},
    Engine{"ar_ftree", "ftree with adaptive routing over all shortest paths of the tree",
           &route_ar_ftree},
    Engine{"ar_torus", "torus-2QoS with adaptive routing over parallel cables", &route_ar_torus},
    Engine{"ar_dor", "dor with adaptive routing over parallel cables", &route_ar_dor},
    Engine{"ar_dfp", "dfp with adaptive routing over the spines of a dragonfly+", &route_ar_dfp},
};

bool is_requested(const Engine& engine, const RoutingOptions& options) {
  return options.adaptive && options.adaptive->enabled &&
         (!options.adaptive->only_ar_engines || plain_engine(engine.name) != engine.name);
}

/// The adaptive variant of updn, ftree or dfp where adaptive routing is requested, because its
/// groups depend on data that exist only while the engine runs.
const Engine& form_to_run(const Engine& engine, const RoutingOptions& options) {
  if (!is_requested(engine, options)) return engine;
  for (const std::string_view form : {"ar_updn", "ar_ftree", "ar_dfp"})
    if (engine.name == plain_engine(form)) return *find_engine(form);
  return engine;
}

}  // namespace

Result<Routes> run_engine(const Engine& engine, const Fabric& fabric,
                          const RoutingOptions& options) {
  const auto supported = without_unsupported(engine.name, options);
  const Engine& form = form_to_run(engine, options);
  auto routes = form.run(fabric, supported ? *supported : options);
  if (!routes) return routes;
  if (&form != &engine) routes->engine = engine.name;
  if (engine.name != "file") connect_switches(fabric, *routes, options.threads);
  if (is_requested(engine, options) && !routes->adaptive)
    add_requested_groups(fabric, options, *routes);
  if (options.connect_roots && plain_engine(engine.name) == "ftree")
    add_missing_switch_routes(fabric, routes->lfts);
  if (options.calculate_missing_routes) add_missing_routes(fabric, routes->lfts);
  if (routes->adaptive && options.adaptive && !options.adaptive->notifies.empty())
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

}  // namespace weft
