// OpenSM's routing options as `weft route` and `weft sm` share them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "sm/route_chain.h"
#include "sm/routing_inputs.h"

namespace weft::cli {

struct RoutingArguments {
  std::string engines;            // -R
  unsigned lmc = 0;               // -l
  std::string root_file;          // -a
  std::string order_file;         // -X
  std::string compute_file;       // -u
  std::string io_file;            // -G
  unsigned max_reverse_hops = 0;  // -H
  bool connect_roots = false;     // -z
  unsigned nue_vls = 1;           // --nue_max_num_vls
  bool nue_include_switches = false;
  std::string torus_file;         // --torus_config
  std::string balance = "global";
  std::uint64_t seed = 0;
  unsigned threads = 0;
};

void add_routing(CLI::App& app, RoutingArguments& arguments);

/// -R as a choice of engines; the default engine where it was not given.
Result<EngineChoice> engine_choice(const RoutingArguments& arguments);

/// Reads the files that were named.
Result<RoutingInputs> routing_inputs(const RoutingArguments& arguments,
                                     std::vector<std::string>& warnings);

/// --verify=enforce|warn|off.
void add_verify_mode(CLI::App& app, VerifyMode& mode);

}  // namespace weft::cli
