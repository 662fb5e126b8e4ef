// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft simulate FABRIC -R ENGINE --job FILE|SPEC: the time of jobs on a routed fabric.
#pragma once

#include "cli/simulate/simulate_arguments.h"

namespace weft::cli {

/// Simulates the jobs of the options and returns the exit status. `loaded` is the network at every
/// process of the team, with fabric and routes at the leader.
int run_jobs(const SimulateArguments& arguments, const LoadedNetwork& loaded);

}  // namespace weft::cli
