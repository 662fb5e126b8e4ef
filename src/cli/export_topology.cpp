// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/export_topology.h"

#include "base/log.h"
#include "cli/output.h"
#include "exports/graphml.h"
#include "exports/routed_fabric.h"
#include "service/config/options.h"
#include "sm/discovery/node_names.h"

namespace weft::cli {
namespace {

/// A fabric with names, and with routes if the options request them.
struct Exported {
  Fabric fabric;
  std::optional<Routes> routes;
  NamesByGuid names;

  RoutedFabric view() const {
    return {fabric, routes ? &*routes : nullptr, switch_names(fabric, names),
            hosts_of(fabric, names)};
  }
};

/// The routes of -R. Routes that fail verification are exported with a warning.
Result<Routes> computed_routes(const ExportOptions& options, Fabric& fabric) {
  std::vector<std::string> warnings;
  const auto request = read_request(options.assignments, warnings);
  if (!request) return forward(request);
  auto lidded = with_all_lids(fabric, static_cast<std::uint8_t>(request->settings.lmc));
  if (!lidded) return forward(lidded);
  fabric = std::move(*lidded);
  ChainResult chain = route(*request, fabric, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  for (const std::string& warning : chain.warnings) log::warn("{}", warning);
  for (const EngineAttempt& attempt : chain.failed)
    log::warn("routing engine '{}' failed: {}", attempt.engine, attempt.reason);
  if (!chain.status) return forward(chain.status);
  if (verify_mode(request->settings) != VerifyMode::kOff && !serves(chain.verdict))
    log::warn("the routes of {} fail verification: `weft route` lists the failures",
              chain.routes.engine);
  return std::move(chain.routes);
}

Result<Routes> routes_of_file(const ExportOptions& options, Fabric& fabric) {
  auto lidded = with_all_lids(fabric, 0);
  if (!lidded) return forward(lidded);
  fabric = std::move(*lidded);
  Warnings warnings;
  auto lfts = read_lfts_by_guid(fabric, options.lfts, warnings);
  log(warnings);
  if (!lfts) return forward(lfts);
  Routes routes;
  routes.engine = options.lfts;
  routes.lfts = std::move(*lfts);
  return routes;
}

Result<Exported> read_exported(const ExportOptions& options) {
  Exported exported;
  auto input = load(options.fabric);
  if (!input) return forward(input);
  exported.fabric = std::move(input->fabric);
  auto names = read_export_names(options, exported.fabric);
  if (!names) return forward(names);
  exported.names = std::move(*names);
  if (options.assignments.empty() && options.lfts.empty()) return exported;
  auto routes = options.lfts.empty() ? computed_routes(options, exported.fabric)
                                     : routes_of_file(options, exported.fabric);
  if (!routes) return forward(routes);
  exported.routes = std::move(*routes);
  return exported;
}

void warn_of_omissions(const RoutedFabric& input, const ExportOptions& options,
                       const Capacity& capacity) {
  for (const std::string& line : omissions(input, options.kind, capacity)) log::warn("{}", line);
}

}  // namespace

Result<NamesByGuid> read_export_names(const ExportOptions& options, const Fabric& fabric) {
  if (options.names.empty()) return NamesByGuid();
  auto names = read_node_names(options.names);
  if (!names) return forward(names);
  for (const auto& [guid, name] : *names)
    if (!fabric.find_node(guid))
      log::warn("{}: node 0x{:016x} ('{}') is not in this fabric", options.names, guid.value(),
                name);
  return std::move(*names);
}

int export_graphml(const ExportOptions& options) {
  const auto exported = read_exported(options);
  if (!exported) return report(exported.error());
  const RoutedFabric input = exported->view();
  warn_of_omissions(input, options, {.routes = true, .lids = true, .ports = true, .others = true});
  return write_to(options.output, [&](const Append& append) {
    write_graphml(input, {.switches_only = options.switches_only}, append);
  });
}

}  // namespace weft::cli
