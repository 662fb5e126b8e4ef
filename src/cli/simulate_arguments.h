// What `weft simulate` is told: ORCS's options and Weft's, and the network that they name. The MPI
// program shares it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/common.h"
#include "cli/routing_arguments.h"
#include "cli/what_if.h"
#include "congestion/dot_echo.h"
#include "congestion/metrics.h"
#include "congestion/simulate.h"

namespace weft::cli {

struct SimulateArguments {
  FabricArgument fabric;  // what -i names too
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
  std::string adaptive_tables;  // weft.ar, beside --lfts
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
};

void add_simulate_arguments(CLI::App& app, SimulateArguments& arguments);

/// Threads and seed, for the routing.
Settings settings_of(const SimulateArguments& arguments);

/// A network, and what is needed to write its graph again.
struct LoadedNetwork {
  RoutedNetwork network;
  std::optional<DotEcho> echo;   // of a routed graph
  std::optional<Fabric> fabric;  // of a fabric, with its routes
  Routes routes;
};

/// Reads a routed graph, or a fabric and its tables, or routes the fabric. Warnings go to the log.
Result<LoadedNetwork> load_network(const SimulateArguments& arguments);

/// The most runs that may be done: what -n says, and a million where only an error is asked for.
std::uint64_t runs_wanted(const SimulateArguments& arguments);

/// Reads the files that the study names. Fails with kUsage.
Result<StudySpec> study_spec(const SimulateArguments& arguments);

}  // namespace weft::cli
