// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft simulate FABRIC -R ENGINE --job FILE|SPEC: the time of jobs on a routed fabric.
#pragma once

#include "cli/simulate/simulate_arguments.h"
#include "jobs/paths.h"

namespace weft::cli {

/// The options --paths and --adaptive.
jobs::PathOptions path_options(const SimulateArguments& arguments);

/// Simulates the jobs of the options and returns the exit status. `loaded` is the network at every
/// process of the team, with fabric and routes at the leader.
int run_jobs(const SimulateArguments& arguments, const LoadedNetwork& loaded);

}  // namespace weft::cli
