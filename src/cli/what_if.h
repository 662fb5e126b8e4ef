// weft simulate FABRIC -R ENGINE --failures K [--trials N]: what the fabric loses when cables or
// switches die.
#pragma once

#include "cli/routing_request.h"
#include "whatif/what_if.h"

namespace weft::cli {

struct WhatIfArguments {
  std::uint32_t size = 0;    // --failures: how many die at once; 0: no what-if is wanted
  std::uint32_t trials = 0;  // --trials: sets drawn; 0: each single one
  std::string victims = "cables";
  std::uint32_t top = 20;  // rows of the text
  std::uint32_t matchings = 100;
  bool times = true;
  std::string
      repair{};  // --repair: which switches choose and notify: all or mixed; empty: no study
};

/// Declares --failures, --trials, --victims, --top, --matchings, --no-times and --repair.
void add_what_if(CLI::App& app, WhatIfArguments& arguments);

/// The failures that are asked for. Fails with kUsage where that cannot be.
Result<std::vector<Failure>> failures_of(const Fabric& fabric, const WhatIfArguments& arguments,
                                         std::uint64_t seed);

/// The request's engines as what_if.h wants them.
Router router_of(const RoutingRequest& request);

/// Routes the fabric, plays the failures through, and writes to `output` (-: standard output); the
/// exit status of the contract.
int run_what_if(const FabricArgument& fabric, const Assignments& assignments, Settings settings,
                const WhatIfArguments& arguments, bool json, const std::string& output);

}  // namespace weft::cli
