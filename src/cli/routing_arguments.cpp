#include "cli/routing_arguments.h"

#include <map>

namespace weft::cli {

void add_routing(CLI::App& app, RoutingArguments& arguments) {
  app.add_option(
      "-R,--routing_engine", arguments.engines,
      "Engines to try in order, separated by commas; no_fallback to stop after the last");
  app.add_option("-l,--lmc", arguments.lmc, "LID mask control: 2^LMC LIDs a port")
      ->check(CLI::Range(0, 7));
  app.add_option("-a,--root_guid_file", arguments.root_file,
                 "File with the GUIDs of the root switches");
  app.add_option("-X,--guid_routing_order_file", arguments.order_file,
                 "File with port GUIDs to route first");
  app.add_option("-u,--cn_guid_file", arguments.compute_file,
                 "File with the port GUIDs of the compute nodes");
  app.add_option("-G,--io_guid_file", arguments.io_file,
                 "File with the port GUIDs of the I/O nodes");
  app.add_option("-H,--max_reverse_hops", arguments.max_reverse_hops,
                 "Switches that ways to I/O nodes may use the wrong way around (ftree)")
      ->check(CLI::Range(0, 255));
  app.add_flag("-z,--connect_roots", arguments.connect_roots,
               "Connect root switches with each other (updn)");
  app.add_option("--nue_max_num_vls", arguments.nue_vls,
                 "VLs that nue may use, 0 for all that the ports have")
      ->capture_default_str();
  app.add_flag("--nue_include_switches", arguments.nue_include_switches,
               "Switches count as senders and receivers of data in nue");
  app.add_option("--torus_config", arguments.torus_file,
                 "The shape and seeds of a torus, for torus-2QoS");
  app.add_option("-i,--ignore_guids", arguments.ignored_file,
                 "File with port GUIDs, or node GUIDs and ports, that balancing does not count");
  app.add_option("-w,--hop_weights_file", arguments.hop_weights_file,
                 "File with what hops weigh: switch GUID, port, weight from 1 to 255");
  app.add_option("-O,--port_search_ordering_file,--dimn_ports_file", arguments.port_order_file,
                 "File with the ports of switches in the order to be tried: switch GUID, ports");
  app.add_option("-m,--ids_guid_file", arguments.switch_ids_file,
                 "File with IDs that stand for GUIDs of switches: switch GUID, ID (updn)");
  app.add_option("-U,--lfts_file", arguments.lfts_file,
                 "File with forwarding tables for engine file");
  app.add_option("-M,--lid_matrix_file", arguments.lid_matrix_file,
                 "File with hops between switches for engines file and minhop");
  app.add_flag("--calculate_missing_routes", arguments.calculate_missing_routes,
               "Fill the entries that an engine leaves open");
  app.add_flag("--avoid_throttled_links", arguments.avoid_throttled_links,
               "Use cables below what both ends can do only where there is no other way");
  app.add_flag("--port-shifting", arguments.port_shifting,
               "Begin the search for a port elsewhere for each switch and destination");
  app.add_option("--scatter-ports", arguments.scatter_ports,
                 "Choose among equal ports at random by this seed; 0 for in turn")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--guid_routing_order_no_scatter", arguments.order_not_scattered,
               "Do not scatter the ports of -X");
  app.add_flag("--do_mesh_analysis", arguments.do_mesh_analysis,
               "Look for a mesh or torus and route it in dimension order (lash)");
  app.add_option("--lash_start_vl", arguments.lash_start_vl, "First VL that lash uses")
      ->check(CLI::Range(0, 14));
  app.add_option("--balance", arguments.balance,
                 "Balance over the whole fabric, or per switch as OpenSM does")
      ->check(CLI::IsMember({"global", "local"}))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "Seed of everything random");
  app.add_option("--threads", arguments.threads,
                 "Threads, 0 for all cores; the result does not depend on it");
}

Result<EngineChoice> engine_choice(const RoutingArguments& arguments) {
  if (arguments.engines.empty()) return EngineChoice{{std::string(kDefaultEngine)}, true};
  return parse_engine_choice(arguments.engines);
}

Result<RoutingInputs> routing_inputs(const RoutingArguments& arguments,
                                     std::vector<std::string>& warnings) {
  RoutingInputs inputs;
  inputs.plain.threads = arguments.threads;
  inputs.plain.seed = arguments.seed;
  inputs.plain.balance = arguments.balance == "local" ? Balance::kLocal : Balance::kGlobal;
  inputs.plain.nue_vls = arguments.nue_vls;
  inputs.plain.nue_include_switches = arguments.nue_include_switches;
  inputs.plain.connect_roots = arguments.connect_roots;
  inputs.plain.max_reverse_hops = arguments.max_reverse_hops;
  inputs.plain.calculate_missing_routes = arguments.calculate_missing_routes;
  inputs.plain.port_shifting = arguments.port_shifting;
  inputs.plain.scatter_ports = arguments.scatter_ports;
  inputs.avoid_throttled_links = arguments.avoid_throttled_links;
  inputs.order_not_scattered = arguments.order_not_scattered;
  inputs.plain.do_mesh_analysis = arguments.do_mesh_analysis;
  inputs.plain.lash_start_vl = arguments.lash_start_vl;
  const auto read = [&](const std::string& path, std::vector<FiledGuid>& guids) -> Status {
    if (path.empty()) return {};
    auto found = read_guid_file(path, warnings);
    if (!found) return forward(found);
    guids = std::move(*found);
    return {};
  };
  if (const auto status = read(arguments.root_file, inputs.roots); !status) return forward(status);
  if (const auto status = read(arguments.order_file, inputs.order); !status) return forward(status);
  if (const auto status = read(arguments.compute_file, inputs.compute_nodes); !status)
    return forward(status);
  if (const auto status = read(arguments.io_file, inputs.io_nodes); !status) return forward(status);
  if (!arguments.torus_file.empty()) {
    auto torus = read_torus_config(arguments.torus_file);
    if (!torus) return forward(torus);
    inputs.plain.torus = std::move(*torus);
  }
  const auto take = [](const std::string& path, auto reader, auto& into) -> Status {
    if (path.empty()) return {};
    auto found = reader(path);
    if (!found) return forward(found);
    into = std::move(*found);
    return {};
  };
  auto status = take(arguments.ignored_file, read_ignored_ports, inputs.ignored);
  if (status) status = take(arguments.hop_weights_file, read_hop_weights, inputs.hop_weights);
  if (status) status = take(arguments.port_order_file, read_port_orders, inputs.port_orders);
  if (status) status = take(arguments.switch_ids_file, read_switch_ids, inputs.switch_ids);
  const auto take_optional = [&](const std::string& path, auto reader, auto& into) -> Status {
    if (path.empty()) return {};
    auto found = reader(path, warnings);
    if (!found) return forward(found);
    into = std::move(*found);
    return {};
  };
  if (status) status = take_optional(arguments.lfts_file, read_filed_lfts, inputs.lfts);
  if (status) status = take_optional(arguments.lid_matrix_file, read_lid_matrix, inputs.lid_matrix);
  if (!status) return forward(status);
  return inputs;
}

std::string requested_engines(const RoutingArguments& arguments, const EngineChoice& choice) {
  if (!arguments.engines.empty()) return arguments.engines;
  std::string names;
  for (const std::string& name : choice.engines) names += (names.empty() ? "" : ",") + name;
  return names;
}

Json attempts_json(const std::vector<EngineAttempt>& attempts) {
  Json json = Json::array();
  for (const EngineAttempt& attempt : attempts)
    json.push_back({{"engine", attempt.engine}, {"reason", attempt.reason}});
  return json;
}

void add_verify_mode(CLI::App& app, VerifyMode& mode) {
  static const std::map<std::string, VerifyMode> kNames{
      {"enforce", VerifyMode::kEnforce}, {"warn", VerifyMode::kWarn}, {"off", VerifyMode::kOff}};
  app.add_option(
         "--verify", mode,
         "What to do with routes that fail the proof: try the next engine, use them and say "
         "so, do not look")
      ->transform(CLI::CheckedTransformer(kNames, CLI::ignore_case))
      ->option_text("enforce|warn|off");
}

}  // namespace weft::cli
