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
  return inputs;
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
