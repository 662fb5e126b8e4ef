// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs the messages of a schedule in SimGrid, to check Weft's flow simulator. The platform has a
// host for each host of the network, a shared link of latency 0 for each channel, and the paths of
// Weft as routes. The model is CM02 with all factors 1, which means max-min fair rates. Start-up
// times and latencies are activities on a separate host before each message.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/routed_network.h"
#include "jobs/schedule.h"

namespace weft::jobs {

struct SimgridRun {
  bool has_ended = true;           // the simulation ended within the time limit
  std::vector<double> job_ends{};  // seconds, by job; empty unless has_ended
  double elapsed = 0;              // seconds of real time, without building the platform
};

/// A platform of `weft export simgrid` with routes and without delays, and with a host for the
/// activities that represent start-up times and latencies.
struct ExportedPlatform {
  std::string file;
  std::vector<std::string> hosts;  // by host of the network
};
inline constexpr const char* kClockHost =
    "    <host id=\"clock\" speed=\"1000Gf\" core=\"4194304\"/>\n";  // flops are picoseconds

/// Runs the simulation with static paths, and ends it after `limit_s` seconds of real time. The
/// simulation runs in a child process, because a process can run only one simulation of SimGrid.
/// Without `exported` the same platform is built in memory. Fails with kEnvironment if the child
/// process cannot be started, or fails.
Result<SimgridRun> run_in_simgrid(const RoutedNetwork& network, const Schedule& schedule,
                                  unsigned limit_s = 600,
                                  const ExportedPlatform* exported = nullptr);

}  // namespace weft::jobs
