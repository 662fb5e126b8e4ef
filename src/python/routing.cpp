// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bindings of routing: the options of `weft route`, a list of engines, and routes from files.

#include <pybind11/stl.h>

#include "cli/common.h"
#include "cli/routes/dump_folder.h"
#include "cli/routes/routing_arguments.h"
#include "cli/routes/routing_request.h"
#include "policy/route_chain.h"
#include "python/bindings.h"
#include "python/engines.h"
#include "python/failure.h"
#include "python/handles.h"
#include "python/task.h"
#include "routes/dump/read.h"
#include "service/config/command_line.h"
#include "service/config/key.h"
#include "service/config/options.h"

namespace py = pybind11;

namespace weft::python {
namespace {

/// Nodes that are given by id instead of by a file of GUIDs.
struct ChosenNodes {
  std::optional<std::vector<std::uint32_t>> roots;                           // switches
  std::optional<std::vector<std::uint32_t>> compute_nodes, io_nodes, order;  // endports
};

struct RouteCall {
  std::vector<std::pair<std::string, std::string>> options;  // name and value
  std::vector<std::pair<std::string, bool>> engines;         // name; true: from EngineTask
  bool fallback = false;
  ChosenNodes nodes;
};

/// The option of `weft route` with this long name, which has no leading dashes, and "_" in place of
/// "-". Throws type_error if there is none.
const CommandOption& option_of(const std::string& name) {
  for (const CommandOption& option : routing_command_options()) {
    std::string names(option.names);
    std::ranges::replace(names, '-', '_');
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = names.find(',', at);
      std::string one = names.substr(at, end == std::string::npos ? end : end - at);
      if (one.starts_with("__") && one.substr(2) == name) return option;
      at = end == std::string::npos ? end : end + 1;
    }
  }
  throw py::type_error(fmt::format("route() got an unexpected option '{}'", name));
}

std::vector<FiledGuid> guids_of(const Fabric& fabric, std::span<const std::uint32_t> endports,
                                const char* option) {
  std::vector<FiledGuid> guids;
  for (const std::uint32_t id : endports)
    guids.push_back({fabric.port(fabric.endport(EndportId(id)).port).guid, option});
  return guids;
}

/// Stores the nodes as GUIDs, because their ids differ in a fabric after failures.
void choose_nodes(const Fabric& fabric, const ChosenNodes& chosen, RoutingInputs& inputs) {
  // A switch and its port 0 have the same id.
  if (chosen.roots) inputs.roots = guids_of(fabric, *chosen.roots, "roots");
  if (chosen.compute_nodes)
    inputs.compute_nodes = guids_of(fabric, *chosen.compute_nodes, "compute_nodes");
  if (chosen.io_nodes) inputs.io_nodes = guids_of(fabric, *chosen.io_nodes, "io_nodes");
  if (chosen.order) inputs.order = guids_of(fabric, *chosen.order, "order");
}

std::shared_ptr<cli::RoutingRequest> request_of(const Fabric& fabric, const RouteCall& call,
                                                std::vector<std::string>& warnings) {
  cli::Assignments assignments;
  for (const auto& [name, value] : call.options)
    assignments.push_back({name, option_of(name).key, value});
  auto request =
      std::make_shared<cli::RoutingRequest>(take(cli::read_request(assignments, warnings)));
  request->choice.engines.clear();
  for (const auto& [name, is_of_task] : call.engines) {
    if (is_of_task) {
      request->choice.engines.push_back(name);
      continue;
    }
    Settings one;
    one.routing_engine = name;
    for (std::string& engine : take(engine_choice(one)).engines)
      request->choice.engines.push_back(std::move(engine));
  }
  request->choice.fallback = call.fallback;
  choose_nodes(fabric, call.nodes, request->inputs);
  return request;
}

/// The report of `weft route --json`, without the quality.
cli::Json report_of(const Fabric& fabric, const ChainResult& chain,
                    const std::vector<std::string>& warnings) {
  return {
      {"engine", chain.routes.engine},
      {"fallbacks", cli::attempts_json(chain.failed)},
      {"choice", chain.choice.empty() ? cli::Json() : cli::Json(chain.choice)},
      {"parts", cli::parts_json(chain.parts)},
      {"seconds", {{"route", chain.route_seconds}, {"verify", chain.verify_seconds}}},
      {"vls", chain.routes.vls},
      {"vls_needed", chain.routes.vls_needed},
      {"notes", chain.routes.notes},
      {"adaptive", cli::adaptive_json(chain.routes)},
      {"steps", cli::steps_json(chain.routes.steps)},
      {"verify", chain.verdict.verified ? cli::verdict_json(fabric, chain.verdict) : cli::Json()},
      {"warnings", warnings}};
}

struct RouteAnswer {
  RoutesHandle routes;
  std::string report;  // JSON
  std::string verdict_text;
};

RouteAnswer route_now(const std::shared_ptr<const Fabric>& fabric, const RouteCall& call) {
  std::vector<std::string> warnings;
  const auto request = request_of(*fabric, call, warnings);
  ChainResult chain = cli::route(*request, *fabric, warnings, &find_engine_of_task);
  take(std::move(chain.status));
  warnings.insert(warnings.end(), chain.warnings.begin(), chain.warnings.end());
  const std::string report = cli::dump(report_of(*fabric, chain, warnings));
  const std::string text =
      chain.verdict.verified ? cli::verdict_text(*fabric, chain.verdict) : std::string();
  return {{fabric, std::make_shared<const Routes>(std::move(chain.routes)), request}, report, text};
}

using NamedEngines = std::vector<std::pair<std::string, py::object>>;

py::tuple route(const FabricHandle& handle, RouteCall call, NamedEngines engines,
                const py::object& progress) {
  for (const auto& [name, value] : call.options) option_of(name);
  RouteAnswer answer = compute(
      [fabric = handle.fabric, call = std::move(call)](Task&) { return route_now(fabric, call); },
      progress, std::make_shared<EngineTask>(std::move(engines), !progress.is_none()));
  return py::make_tuple(std::move(answer.routes), py::bytes(answer.report),
                        py::bytes(answer.verdict_text));
}

// ---- Routes from files ----

/// Paths of the files; empty: none.
struct RouteFiles {
  std::string lfts, psl, slvl, adaptive, mfts, multicast_sl;
};

Routes read_routes(const Fabric& fabric, const RouteFiles& files, Warnings& warnings) {
  Routes routes;
  routes.engine = "file";
  const auto read = [&](const std::string& path, auto reader, auto& into) {
    if (!path.empty()) into = take(reader(fabric, path, warnings));
  };
  read(files.lfts, &cli::read_lfts_by_guid, routes.lfts);
  read(files.psl, &read_psl, routes.path_sl);
  read(files.slvl, &read_slvl, routes.sl2vl);
  read(files.adaptive, &read_adaptive, routes.adaptive);
  read(files.mfts, &read_mfts, routes.mfts);
  read(files.multicast_sl, &read_multicast_sl, routes.multicast_sl);
  return routes;
}

py::tuple load_routes(const FabricHandle& handle, const RouteFiles& files) {
  auto [routes, warnings] = compute([fabric = handle.fabric, files](Task&) {
    Warnings found;
    Routes read = read_routes(*fabric, files, found);
    return std::pair(RoutesHandle{fabric, std::make_shared<const Routes>(std::move(read)), {}},
                     found.take());
  });
  py::list lines;
  for (const std::string& warning : warnings) lines.append(py::bytes(warning));
  return py::make_tuple(std::move(routes), lines);
}

/// The fabric and route files of a dump folder, by parameter of load_routes().
py::dict dump_files_of(const std::string& folder) {
  const cli::DumpFolder found = take(cli::find_dumps(folder));
  py::dict files;
  files["fabric"] = found.fabric;
  files["lfts"] = found.lfts;
  files["psl"] = found.psl;
  files["slvl"] = found.slvl;
  files["ar"] = found.adaptive;
  files["mfts"] = found.mfts;
  files["msl"] = found.multicast_sl;
  return files;
}

}  // namespace

void bind_routing(py::module_& module) {
  using Nodes = std::optional<std::vector<std::uint32_t>>;
  module.def("route", [](const FabricHandle& fabric,
                         std::vector<std::pair<std::string, std::string>> options,
                         std::vector<std::pair<std::string, bool>> names, NamedEngines engines,
                         bool fallback, Nodes roots, Nodes compute_nodes, Nodes io_nodes,
                         Nodes order, const py::object& progress) {
    return route(
        fabric,
        {std::move(options),
         std::move(names),
         fallback,
         {std::move(roots), std::move(compute_nodes), std::move(io_nodes), std::move(order)}},
        std::move(engines), progress);
  });
  module.def("load_routes",
             [](const FabricHandle& fabric, std::string lfts, std::string psl, std::string slvl,
                std::string ar, std::string mfts, std::string msl) {
               return load_routes(fabric, {std::move(lfts), std::move(psl), std::move(slvl),
                                           std::move(ar), std::move(mfts), std::move(msl)});
             });
  module.def("routes_of_tables", &routes_of_tables);
  module.def("dump_files", &dump_files_of);
}

}  // namespace weft::python
