// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A study simulates a workload in runs with different seeds. Each run has variants: all jobs
// together, each job on an ideal crossbar, and each job alone, unless all jobs together are the
// same simulation. Variants do not depend on each other, so they run in parallel threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "jobs/build.h"
#include "jobs/flow_simulator.h"
#include "jobs/job.h"

namespace weft::jobs {

struct JobStudy {
  const RoutedNetwork& network;
  const Workload& workload;
  PathOptions paths{};
  std::vector<NetworkChange> changes{};
  std::uint64_t seed = 0;
  bool with_usage = true;  // record the usage in `details`
};

/// Result of a study for one job in one run.
struct JobOutcome {
  std::uint32_t ranks = 0;
  Picoseconds start = 0;
  Picoseconds time = 0;      // time with all jobs together
  Picoseconds crossbar = 0;  // time on an ideal crossbar
  Picoseconds alone = 0;     // time without other jobs, background and changes of the network
  std::uint64_t messages = 0;
  double bytes = 0;
  bool operator==(const JobOutcome&) const = default;
};

struct RunOutcome {
  std::vector<JobOutcome> jobs;
  Picoseconds end = 0;
  std::uint64_t rate_changes = 0;  // SimulationResult::rate_changes
};

/// Details of one run: all jobs together.
struct Details {
  BuiltWorkload built;
  SimulationResult together;
};

/// The seed of the schedule and the paths of a run.
std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t run);

/// Simulates run `run`: builds the schedule with the seed of the run, then simulates the variants
/// in up to `threads` threads. Fills `details` if it is not null. Fails as build_workload() and
/// simulate_flows() do.
Result<RunOutcome> simulate_run(const JobStudy& study, std::uint64_t run, unsigned threads,
                                Details* details);

/// Algorithm bandwidth and bus bandwidth of a job in bytes per second, as nccl-tests define them; 0
/// for work without a number of bytes, and for a time of 0.
double algorithm_bandwidth(const JobSpec& job, double seconds);
double bus_bandwidth(const JobSpec& job, std::uint32_t ranks, double seconds);

}  // namespace weft::jobs
