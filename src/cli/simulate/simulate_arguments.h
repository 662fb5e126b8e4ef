// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options of `weft simulate` (ORCS's and Weft's) and loading of the network that they name; shared
// with weft-mpi.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/common.h"
#include "cli/routes/routing_arguments.h"
#include "cli/routes/what_if.h"
#include "congestion/dot_echo.h"
#include "congestion/metrics.h"
#include "congestion/simulate.h"

namespace weft::cli {

struct SimulateArguments {
  FabricArgument fabric;  // FABRIC or -i
  std::string lfts;
  Assignments routing;

  PatternSpec pattern;
  std::uint32_t ranks = 0;
  std::string subset = "linear_bfs";
  std::string mapping = "random";
  std::optional<std::uint64_t> level;
  std::string paths = "base";
  bool link_rates = false;
  std::string adaptive = "greedy";
  std::string adaptive_tables;  // weft.ar; requires --lfts
  std::string picture;
  std::string metric = "sum_max_cong";
  std::optional<std::uint64_t> runs;
  std::optional<double> until_error;
  std::uint64_t seed = 0;
  unsigned threads = 0;

  std::string output = "-";
  bool print_pattern = false;
  bool print_hosts = false;
  bool verbose = false;
  bool json = false;
  WhatIfArguments what_if;

  std::vector<std::string> jobs;  // --job: files and specs
  std::string jobs_csv;
  std::string links_csv;
};

/// Parts of the options that `weft place` uses too: --lfts and --ar; the routing options of
/// `weft route`, with their long names only, except -R.
void add_tables(CLI::App& app, SimulateArguments& arguments);
void add_routing(CLI::App& app, Assignments& routing);

void add_simulate_arguments(CLI::App& app, SimulateArguments& arguments);

/// Settings for the routing: threads and seed.
Settings settings_of(const SimulateArguments& arguments);

/// A network, and the data to write it as a graph again.
struct LoadedNetwork {
  RoutedNetwork network;
  std::optional<DotEcho> echo;   // if read from a routed graph for the metric get_cable_cong
  std::optional<Fabric> fabric;  // if read from a fabric; then `routes` is set
  Routes routes;
};

/// Reads a routed graph, or a fabric and its tables, or routes the fabric. Logs warnings.
Result<LoadedNetwork> load_network(const SimulateArguments& arguments);

/// Maximum number of runs: -n, else 1000000 with --until-error, else 1.
std::uint64_t runs_max(const SimulateArguments& arguments);

/// Converts the options and reads the host list of --subset. Fails with kUsage, or, for the host
/// list, as for_each_line() does and with kBadInput if it is empty.
Result<StudySpec> study_spec(const SimulateArguments& arguments);

}  // namespace weft::cli
