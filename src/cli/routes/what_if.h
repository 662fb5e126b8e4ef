// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft simulate FABRIC -R ENGINE --failures K [--trials N]: lost connectivity and bandwidth after
// link or switch failures.
#pragma once

#include "cli/routes/routing_request.h"
#include "whatif/what_if.h"

namespace weft::cli {

struct WhatIfArguments {
  std::uint32_t size = 0;    // --failures: simultaneous failures; 0: no what-if study
  std::uint32_t trials = 0;  // --trials: random sets; 0: every single failure
  std::string victims = "cables";
  std::uint32_t top = 20;  // rows of the text
  std::uint32_t matchings = 100;
  bool times = true;
  std::string repair{};  // --repair: AR-capable switches: all or mixed; empty: no repair study
};

/// Declares --failures, --trials, --victims, --top, --matchings, --no-times and --repair.
void add_what_if(CLI::App& app, WhatIfArguments& arguments);

/// The failures to simulate. Fails with kUsage on contradictory options.
Result<std::vector<Failure>> failures_of(const Fabric& fabric, const WhatIfArguments& arguments,
                                         std::uint64_t seed);

/// Adapts the request to the interface of whatif/what_if.h.
Router router_of(const RoutingRequest& request, EngineFinder find = &find_engine);

/// Routes the fabric, simulates the failures, and writes to `output` (-: standard output). Returns
/// the exit status: 1 if no engine can route the fabric, or after an interruption.
int run_what_if(const FabricArgument& fabric, const Assignments& assignments, Settings settings,
                const WhatIfArguments& arguments, bool json, const std::string& output);

}  // namespace weft::cli
