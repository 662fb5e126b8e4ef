// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/export/topology.h"

#include "base/file.h"
#include "base/log.h"
#include "cli/output.h"
#include "exports/astra_sim.h"
#include "exports/codes.h"
#include "exports/graphml.h"
#include "exports/ns3.h"
#include "exports/routed_fabric.h"
#include "exports/simgrid.h"
#include "service/config/options.h"
#include "sm/discovery/node_names.h"

namespace weft::cli {
namespace {

/// A fabric with names, and with routes if the options request them.
struct ExportedFabric : NamedFabric {
  std::optional<Routes> routes;

  RoutedFabric view() const {
    return {fabric, routes ? &*routes : nullptr, switch_names(fabric, names),
            hosts_of(fabric, names)};
  }
};

/// Computes the routes of -R. Routes that fail verification are exported with a warning.
Result<Routes> computed_routes(const ExportOptions& options, Fabric& fabric) {
  std::vector<std::string> warnings;
  const auto request = read_request(options.assignments, warnings);
  if (!request) return forward(request);
  auto assigned =
      with_all_lids(std::move(fabric), static_cast<std::uint8_t>(request->settings.lmc));
  if (!assigned) return forward(assigned);
  fabric = std::move(*assigned);
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
  auto assigned = with_all_lids(std::move(fabric), 0);
  if (!assigned) return forward(assigned);
  fabric = std::move(*assigned);
  Warnings warnings;
  auto lfts = read_lfts_by_guid(fabric, options.lfts, warnings);
  log(warnings);
  if (!lfts) return forward(lfts);
  Routes routes;
  routes.engine = options.lfts;
  routes.lfts = std::move(*lfts);
  return routes;
}

Result<ExportedFabric> read_exported(const ExportOptions& options) {
  auto read = read_named_fabric(options);
  if (!read) return forward(read);
  ExportedFabric exported{std::move(*read), {}};
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

Ns3Options ns3_options(const ExportOptions& options) {
  return {.delay_ns = options.delay_ns,
          .gpu_type = options.gpu_type,
          .nvlink_gbps = options.nvlink_gbps};
}

/// Creates the folder of -o, for kinds that write several files.
Result<std::string> export_folder(const ExportOptions& options) {
  if (options.output == "-")
    return fail(Code::kUsage, "-o: found no folder, expected one: {} writes several files",
                options.kind);
  if (const auto status = make_directory(options.output); !status) return forward(status);
  return options.output;
}

struct ExportFile {
  std::string name;
  std::string text;
};

Status write_files(const std::string& folder, const std::vector<ExportFile>& files) {
  for (const ExportFile& file : files)
    if (auto status = write_file(folder + "/" + file.name, file.text); !status) return status;
  return {};
}

}  // namespace

Result<NamedFabric> read_named_fabric(const ExportOptions& options) {
  auto input = load(options.fabric);
  if (!input) return forward(input);
  NamedFabric named{std::move(input->fabric), {}};
  if (options.names.empty()) return named;
  auto names = read_node_names(options.names);
  if (!names) return forward(names);
  for (const auto& [guid, name] : *names)
    if (!named.fabric.find_node(guid))
      log::warn("{}: node 0x{:016x} ('{}') is not in this fabric", options.names, guid.value(),
                name);
  named.names = std::move(*names);
  return named;
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

int export_ns3(const ExportOptions& options) {
  const auto exported = read_exported(options);
  if (!exported) return report(exported.error());
  const RoutedFabric input = exported->view();
  warn_of_omissions(input, options, {});
  return write_to(options.output,
                  [&](const Append& append) { write_ns3(input, ns3_options(options), append); });
}

int export_simai(const ExportOptions& options) {
  const auto exported = read_exported(options);
  if (!exported) return report(exported.error());
  const RoutedFabric input = exported->view();
  if (const auto ports = ports_per_host(input, options.kind); !ports) return report(ports.error());
  warn_of_omissions(input, options, {});
  return write_to(options.output, [&](const Append& append) {
    write_gpus(input, ns3_options(options), true, append);
  });
}

int export_simgrid(const ExportOptions& options) {
  const auto exported = read_exported(options);
  if (!exported) return report(exported.error());
  const RoutedFabric input = exported->view();
  if (const auto status = check_simgrid(input); !status) return report(status.error());
  const bool routed = input.routes != nullptr;
  warn_of_omissions(input, options, {.routes = routed, .several_ports = !routed});
  return write_to(options.output, [&](const Append& append) {
    write_simgrid(input, {.delay_ns = options.delay_ns}, append);
  });
}

int export_codes(const ExportOptions& options) {
  const auto exported = read_exported(options);
  if (!exported) return report(exported.error());
  const RoutedFabric input = exported->view();
  const auto guids = codes_guids(input);
  if (!guids) return report(guids.error());
  const auto folder = export_folder(options);
  if (!folder) return report(folder.error());
  warn_of_omissions(input, options,
                    {.routes = true, .rates = false, .ports = true, .several_ports = false});
  std::vector<ExportFile> files{{"names.txt", codes_names(input, *guids)}};
  for (std::uint32_t s = 0; s < input.fabric.switch_count(); ++s)
    files.push_back({codes_file_name(guids->switches[s]), codes_table(input, *guids, SwitchId(s))});
  const auto status = write_files(*folder, files);
  return status ? 0 : report(status.error());
}

int export_astra_sim(const ExportOptions& options) {
  const auto exported = read_exported(options);
  if (!exported) return report(exported.error());
  const RoutedFabric input = exported->view();
  const auto dimensions = astra_dimensions(input, ns3_options(options));
  if (!dimensions) return report(dimensions.error());
  const auto folder = export_folder(options);
  if (!folder) return report(folder.error());
  warn_of_omissions(input, options, {});
  std::string topology;
  write_gpus(input, ns3_options(options), false,
             [&](std::string_view piece) { topology.append(piece); });
  const auto status = write_files(*folder, {{"network.yml", astra_network(*dimensions)},
                                            {"topology.txt", topology},
                                            {"logical_topology.json", astra_logical(*dimensions)}});
  return status ? 0 : report(status.error());
}

}  // namespace weft::cli
