// OpenSM's routing options as `weft route` and `weft sm` share them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common.h"
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
  std::string torus_file;        // --torus_config
  std::string ignored_file;      // -i
  std::string hop_weights_file;  // -w
  std::string port_order_file;   // -O
  std::string switch_ids_file;   // -m
  std::string lfts_file;         // -U
  std::string lid_matrix_file;   // -M
  bool calculate_missing_routes = false;
  bool avoid_throttled_links = false;
  bool port_shifting = false;
  std::uint64_t scatter_ports = 0;
  bool order_not_scattered = false;
  bool do_mesh_analysis = false;
  unsigned lash_start_vl = 0;
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

/// What was asked for, as it was written, or the default.
std::string requested_engines(const RoutingArguments& arguments, const EngineChoice& choice);

/// The contract's `fallbacks`: [{engine, reason}], in the order tried.
Json attempts_json(const std::vector<EngineAttempt>& attempts);

/// --verify=enforce|warn|off.
void add_verify_mode(CLI::App& app, VerifyMode& mode);

}  // namespace weft::cli
