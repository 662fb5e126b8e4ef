// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs the messages of a schedule in SimGrid, as the second opinion on Weft's flow simulator. The
// platform has a host for each host, a shared link of latency 0 for each channel, and the paths of
// Weft as routes; the model is CM02 with all factors 1, that is, max-min fair rates. Start-up and
// latency are activities on a host of their own before each message.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "congestion/routed_network.h"
#include "jobs/schedule.h"

namespace weft::jobs {

struct SimgridRun {
  bool has_ended = true;           // within the limit
  std::vector<double> job_ends{};  // seconds, by job; empty if it has not ended
  double elapsed = 0;              // seconds of real time, without building the platform
};

/// A platform of `weft export simgrid` with routes, without delays, and with a host for the
/// activities that wait.
struct ExportedPlatform {
  std::string file;
  std::vector<std::string> hosts;  // by host of the network
};
inline constexpr const char* kClockHost =
    "    <host id=\"clock\" speed=\"1000Gf\" core=\"4194304\"/>\n";  // flops are picoseconds

/// Ends the simulation after `limit_s` seconds of real time. In a child process, because SimGrid
/// simulates once in a process. Paths are static. Without `exported` the same platform is built in
/// memory. Fails with kEnvironment if the child does.
Result<SimgridRun> run_in_simgrid(const RoutedNetwork& network, const Schedule& schedule,
                                  unsigned limit_s = 600,
                                  const ExportedPlatform* exported = nullptr);

}  // namespace weft::jobs
